#include "app/doctor/health_checks.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <linux/magic.h>
#include <sys/statfs.h>

#include <algorithm>
#include <filesystem>

namespace matchcloud::app {
namespace {

constexpr std::uint64_t gib = 1ULL << 30U;

TEST_CASE("little space is a twentieth of a disk, within bounds") {
  CHECK(little_space(0) == gib);
  CHECK(little_space(20 * gib) == gib);
  CHECK(little_space(100 * gib) == 5 * gib);
  CHECK(little_space(4'000 * gib) == 10 * gib);
}

TEST_CASE("the disk of a data directory is measured, also before that is made") {
  const auto on = [](const std::string& folder) {
    examined_service of{make_config({{"listen", "--listen", {"127.0.0.1:0"}},
                                     {"ops-listen", "--ops-listen", {"127.0.0.1:0"}},
                                     {"data-dir", "--data-dir", {folder}}})};
    return check_disk(of);
  };
  const fixtures::temporary_directory folder;
  const auto found = on(folder.path("none"));
  REQUIRE_FALSE(found.empty());
  CHECK(std::ranges::none_of(found,
                             [](const auto& each) { return each.level == finding_level::error; }));
  CHECK(found[0].message.starts_with(folder.path() + " "));
  std::filesystem::create_symlink("nowhere", folder.path("link"));
  const auto dangling = on(folder.path("link"));
  REQUIRE(dangling.size() == 1);
  CHECK(dangling[0].message.find("its file system cannot be examined") != std::string::npos);
  struct statfs kind {};
  if (::statfs("/dev/shm", &kind) != 0 || kind.f_type != TMPFS_MAGIC) return;
  const auto in_memory = on("/dev/shm/none");
  CHECK(std::ranges::any_of(in_memory, [](const auto& each) {
    return each.message.starts_with("/dev/shm is in memory (tmpfs)");
  }));
}

TEST_CASE("bytes are shown with a unit") {
  CHECK(shown_bytes(0) == "0 B");
  CHECK(shown_bytes(1'023) == "1023 B");
  CHECK(shown_bytes(1'024) == "1 KiB");
  CHECK(shown_bytes(640ULL << 20U) == "640 MiB");
  CHECK(shown_bytes(5 * gib - 1) == "4 GiB");
  CHECK(shown_bytes(UINT64_MAX) == "15 EiB");
}

} // namespace
} // namespace matchcloud::app
