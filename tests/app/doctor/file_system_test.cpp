#include "app/doctor/file_system.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace matchcloud::app {
namespace {

constexpr std::uint64_t gib = 1ULL << 30U;

TEST_CASE("little space is a twentieth of a disk, within bounds") {
  const auto of = [](std::uint64_t size_bytes) {
    file_system disk;
    disk.size_bytes = size_bytes;
    return little_space(disk);
  };
  CHECK(of(0) == gib);
  CHECK(of(20 * gib) == gib);
  CHECK(of(100 * gib) == 5 * gib);
  CHECK(of(4'000 * gib) == 10 * gib);
}

TEST_CASE("a file system is known by what is on it, and by none where nothing is") {
  const fixtures::temporary_directory folder;
  const auto found = file_system_of(folder.path());
  REQUIRE(found);
  CHECK(found->size_bytes > 0);
  CHECK(found->free_bytes <= found->size_bytes);
  CHECK_FALSE(found->is_read_only);
  CHECK_FALSE(file_system_of(folder.path("none")));
  const auto memory = file_system_of("/dev/shm");
  if (memory) CHECK(memory->is_in_memory);
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
