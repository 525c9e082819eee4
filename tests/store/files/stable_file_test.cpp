#include "store/files/stable_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace matchcloud::store {
namespace {

using namespace fixtures;

constexpr std::uint64_t limit_bytes = 1'000;

std::string reason(const std::string& path) {
  const auto opened = stable_file::open(path, limit_bytes);
  return opened ? "" : opened.error().detail;
}

TEST_CASE("Only a regular file of some bytes, and not too many, is opened") {
  const temporary_directory folder;
  CHECK(reason(folder.path("none")) == "open: No such file or directory");
  CHECK(reason(folder.path()) == "not a regular file");
  CHECK(reason(folder.file("empty", "")) == "the file is empty");
  CHECK(reason(folder.file("long", std::string(1'001, 'x'))) ==
        "the file has 1001 bytes, more than the limit of 1000");
  CHECK(reason(folder.file("full", std::string(1'000, 'x'))).empty());
}

TEST_CASE("A file that is written to while it is read is refused, and crashes nobody") {
  const temporary_directory folder;
  const auto path = folder.file("a", std::string(1'000, 'x'));
  wait_until_settled(path);
  const auto opened = stable_file::open(path, limit_bytes).value();
  std::vector<std::uint8_t> bytes(500);
  CHECK(opened.read(500, bytes));
  CHECK(opened.check_unchanged());
  SECTION("cut short") {
    std::filesystem::resize_file(path, 600);
    const auto read = opened.read(500, bytes);
    REQUIRE_FALSE(read);
    CHECK(read.error().detail == "the file changed while it was read");
  }
  SECTION("overwritten") {
    overwrite(path, std::string(1'000, 'y'));
  }
  const auto same = opened.check_unchanged();
  REQUIRE_FALSE(same);
  CHECK(same.error().detail == "the file changed while it was read");
}

TEST_CASE("A file that another is renamed over is read to its end") {
  const temporary_directory folder;
  const auto path = folder.file("a", "before");
  const auto opened = stable_file::open(path, limit_bytes).value();
  rename_over(path, "behind");
  std::vector<std::uint8_t> bytes(6);
  CHECK(opened.read(0, bytes));
  CHECK(std::string(bytes.begin(), bytes.end()) == "before");
  CHECK(opened.check_unchanged());
}

TEST_CASE("A bit is read wrong, always the same one") {
  const temporary_directory folder;
  const auto path = folder.file("a", std::string(100, '\0'));
  const auto opened = stable_file::open(path, limit_bytes, 8 * (100 + 42) + 3).value();
  std::vector<std::uint8_t> bytes(100);
  CHECK(opened.read(0, bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    CHECK(bytes[i] == (i == 42 ? 8 : 0));
  bytes.resize(10);
  for (std::uint64_t from = 0; from < 90; ++from) {
    CHECK(opened.read(from, bytes));
    CHECK((std::ranges::count(bytes, 8) == 1) == (from <= 42 && from + 10 > 42));
  }
}

} // namespace
} // namespace matchcloud::store
