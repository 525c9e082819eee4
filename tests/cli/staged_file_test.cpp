#include "cli/output_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace matchcloud::cli {
namespace {

namespace fs = std::filesystem;
using fixtures::mode_of;
using fixtures::read_whole;

std::ptrdiff_t files_in(const fixtures::temporary_directory& directory) {
  return std::distance(fs::directory_iterator{directory.path()}, fs::directory_iterator{});
}

TEST_CASE("a staged file takes its name whole, with its mode, whatever the umask") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("made");
  const auto mode = GENERATE(mode_t{0600}, mode_t{0644});
  const auto umask = GENERATE(mode_t{0}, mode_t{0777});
  const auto before = ::umask(umask);
  auto file = staged_file::write(path, "content", mode, taken_name::refuse);
  ::umask(before);
  REQUIRE(file.has_value());
  CHECK_FALSE(fs::exists(path));
  REQUIRE(file->commit().has_value());
  CHECK(read_whole(path) == "content");
  CHECK(mode_of(path) == mode);
  CHECK(files_in(directory) == 1);
}

TEST_CASE("a staged file that takes no name is gone") {
  const fixtures::temporary_directory directory;
  {
    auto file = staged_file::write(directory.path("a"), "a", 0600, taken_name::refuse);
    REQUIRE(file.has_value());
    const auto moved = std::move(*file);
    CHECK(files_in(directory) == 1);
  }
  CHECK(files_in(directory) == 0);
}

TEST_CASE("a staged file replaces what has its name only where it is told to") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("there", "as it was");
  fs::create_symlink(directory.path("nowhere"), directory.path("link"));
  for (const auto& taken : {path, directory.path("link"), directory.path()}) {
    const auto refused = staged_file::write(taken, "new", 0600, taken_name::refuse);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail ==
          taken + ": it already exists and is not replaced; choose another name");
  }
  CHECK(read_whole(path) == "as it was");

  for (const auto& taken : {path, directory.path("link")}) {
    auto file = staged_file::write(taken, "new", 0600, taken_name::replace);
    REQUIRE(file.has_value());
    REQUIRE(file->commit().has_value());
    CHECK(read_whole(taken) == "new");
  }
  CHECK_FALSE(fs::is_symlink(directory.path("link")));
  CHECK_FALSE(fs::exists(directory.path("nowhere")));
}

TEST_CASE("a staged file does not replace one that took its name in the meantime") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("made");
  {
    auto file = staged_file::write(path, "new", 0600, taken_name::refuse);
    REQUIRE(file.has_value());
    directory.file("made", "faster");
    CHECK_FALSE(file->commit().has_value());
  }
  CHECK(read_whole(path) == "faster");
  CHECK(files_in(directory) == 1);
  CHECK_FALSE(staged_file::write(directory.path("no/a"), "", 0600, taken_name::refuse).has_value());
}

} // namespace
} // namespace matchcloud::cli
