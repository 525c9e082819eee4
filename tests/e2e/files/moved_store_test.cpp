// What somebody moves away or removes while processes use it.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
namespace fs = std::filesystem;

constexpr std::string_view lobby =
    R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0003",)"
    R"("namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"lon",)"
    R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-000000000031",)"
    R"("version_name":"1","game_mode":"duel","start_ts":1769900400000})"
    "\n";

bool has_entries(const std::string& folder) {
  std::error_code none;
  return fs::directory_iterator{folder, none} != fs::directory_iterator{};
}

TEST_CASE("an import writes nothing into a database that was moved away during it",
          "[operations][embedded]") {
  for (const bool is_replaced : {false, true}) {
    CAPTURE(is_replaced);
    const fixtures::temporary_directory folder;
    const auto data = folder.path("data");
    REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
    const auto pipe = folder.path("lobbies");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    child_process import{{"import", "lobbies", "--data-dir", data, pipe}};
    base::file_descriptor to{::open(pipe.c_str(), O_WRONLY | O_CLOEXEC)};
    REQUIRE(to);
    // It has the store open when it has a folder for its spool.
    REQUIRE(eventually([&] { return has_entries(data + "/tmp"); }));
    fs::rename(data + "/matchcloud.db", data + "/old.db");
    if (is_replaced) fs::copy_file(data + "/old.db", data + "/matchcloud.db");
    REQUIRE(::write(to.get(), lobby.data(), lobby.size()) == static_cast<ssize_t>(lobby.size()));
    to.reset();
    CHECK(import.exit_code() == 1);
    INFO(import.errors());
    CHECK(import.says(data + "/matchcloud.db: cannot "));
    CHECK(import.says(is_replaced ? "replaced by another file" : "it is gone"));
  }
}

TEST_CASE("images are served from a folder that was made again", "[operations][embedded]") {
  const fixtures::temporary_directory folder;
  const auto data = folder.path("data");
  REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
  const directory_service service{data};
  // Not asked for before: an open image is served whatever becomes of its name.
  const auto image = image_target(service);
  fs::rename(data + "/media", data + "/gone");
  CHECK(service.ask("GET", image).status == 404);
  REQUIRE(run({"demo", "--data-dir", data}).exit_code == 0);
  CHECK(service.ask("GET", image).status == 200);
}

} // namespace
