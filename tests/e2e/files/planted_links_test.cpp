// Root's commands in a data directory whose owner has put links into it.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
namespace fs = std::filesystem;

const std::string planted_upload = "00000000-0000-4000-8000-0000000000b7";

std::string text_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// A folder of root's, with what a command might harm.
class roots_folder {
public:
  explicit roots_folder(mode_t mode) {
    fs::create_directory(folder_.path("below"));
    folder_.file("below/file", "precious");
    folder_.file("file", "precious");
    // As a leftover, and an image that no avatar refers to, would be called.
    fs::create_directory(folder_.path("abcdef"));
    folder_.file("abcdef/1", "precious");
    fs::create_directory(folder_.path("ab"));
    folder_.file("ab/" + planted_upload + "." + std::string(62, '0') + "ab.png", "precious");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours{48};
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()})
      if (entry.is_regular_file()) fs::last_write_time(entry, old);
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()})
      REQUIRE(::chmod(entry.path().c_str(), entry.is_directory() ? mode : mode & 0666U) == 0);
    REQUIRE(::chmod(folder_.path().c_str(), mode) == 0);
  }

  const std::string& path() const noexcept { return folder_.path(); }
  std::string path(const std::string& name) const { return folder_.path(name); }

  /// Everything in it: names, owners, modes and contents.
  std::vector<std::string> content() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()}) {
      struct stat found {};
      REQUIRE(::lstat(entry.path().c_str(), &found) == 0);
      all.push_back(entry.path().string() + " " + std::to_string(found.st_uid) + " " +
                    std::to_string(found.st_mode) + " " +
                    (S_ISREG(found.st_mode) ? text_of(entry.path()) : ""));
    }
    std::ranges::sort(all);
    return all;
  }

private:
  fixtures::temporary_directory folder_;
};

/// Puts a link of the service's user in place of `path`.
void plant(const std::string& target, const std::string& path) {
  fs::remove_all(path);
  fs::create_symlink(target, path);
  REQUIRE(::lchown(path.c_str(), service_user, service_user) == 0);
}

/// Commands that make, change and remove files, without `--data-dir`.
std::vector<arguments> commands_with(const fixtures::temporary_directory& inputs) {
  inputs.file("face.png", fixtures::small_png());
  inputs.file("avatars.jsonl",
              R"({"game_id":")" + std::string{demo_game} + R"(","upload_id":")" + planted_upload +
                  R"(","display_name":"Face","create_ts":1767225600000,"content_length":)" +
                  std::to_string(fs::file_size(inputs.path("face.png"))) +
                  R"(,"complete":true,"file":"face.png"})" + "\n");
  inputs.file("lobbies.jsonl", "");
  return {{"demo"},
          {"import", "avatars", inputs.path("avatars.jsonl")},
          {"import", "lobbies", inputs.path("lobbies.jsonl")},
          {"objects", "check", "--remove", "--age-hours", "1"},
          {"signing-key", "rotate", "--revoke"},
          {"token", "create", "--kind", "viewer", "--name", "x", "--expires", "90d"}};
}

command_result run_on(const users_directory& on, arguments words) {
  words.insert(words.end(), {"--data-dir", on.data_dir()});
  return run(words);
}

TEST_CASE("links in another user's data directory lead root's commands nowhere",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const fixtures::temporary_directory inputs;
  const auto commands = commands_with(inputs);
  const users_directory seeded;
  REQUIRE(seeded.run_as_user({"demo", "--data-dir", seeded.data_dir()}).exit_code == 0);
  for (const mode_t mode : {mode_t{0700}, mode_t{0755}}) {
    const roots_folder roots{mode};
    const auto before = roots.content();
    for (const std::string place : {"tmp", "media", "exports", "signing-keys", "matchcloud.db"}) {
      bool has_failed = false;
      for (const auto& command : commands) {
        CAPTURE(mode, place, command.front());
        const users_directory on;
        fs::copy(seeded.data_dir(), on.data_dir(), fs::copy_options::recursive);
        for (const auto& entry : fs::recursive_directory_iterator{on.data_dir()})
          REQUIRE(::lchown(entry.path().c_str(), service_user, service_user) == 0);
        const bool is_file = place == "signing-keys" || place == "matchcloud.db";
        plant(is_file ? roots.path("file") : roots.path(), on.data_dir() + "/" + place);
        const auto got = run_on(on, command);
        INFO(got.errors);
        CHECK(roots.content() == before);
        CHECK(on.foreign().empty());
        if (got.exit_code == 0) continue;
        has_failed = true;
        CHECK(got.exit_code == 1);
        const bool misses_images =
            got.errors.find("missing; import the avatars again") != std::string::npos;
        CHECK((misses_images || got.errors.find(on.data_dir() + "/" + place) != std::string::npos));
      }
      // Exports are the service's alone.
      if (place != "exports") CHECK(has_failed);
    }
  }
}

TEST_CASE("a link in place of the data directory itself leads root's commands nowhere",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const fixtures::temporary_directory inputs;
  const roots_folder roots{0700};
  const auto before = roots.content();
  for (const auto& command : commands_with(inputs)) {
    CAPTURE(command.front());
    const users_directory on;
    plant(roots.path(), on.data_dir());
    const auto got = run_on(on, command);
    INFO(got.errors);
    CHECK(got.exit_code == 1);
    CHECK(got.errors.find(on.data_dir()) != std::string::npos);
    CHECK(roots.content() == before);
  }
}

} // namespace
