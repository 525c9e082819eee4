#include "cli/output_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace matchcloud::cli {
namespace {

namespace fs = std::filesystem;
using fixtures::mode_of;
using fixtures::read_whole;

TEST_CASE("a private file is its owner's alone, whatever the umask") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("secret");
  const auto umask = GENERATE(mode_t{0}, mode_t{0777});
  const auto before = ::umask(umask);
  auto file = private_file::create(path);
  ::umask(before);
  REQUIRE(file.has_value());
  CHECK(mode_of(path) == 0600);
  REQUIRE(file->write("a\n").has_value());
  CHECK(read_whole(path) == "a\n");
}

TEST_CASE("a private file that nothing was written to is gone") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("secret");
  {
    auto file = private_file::create(path);
    REQUIRE(file.has_value());
    const auto moved = std::move(*file);
    CHECK(fs::exists(path));
  }
  CHECK_FALSE(fs::exists(path));
  {
    auto file = private_file::create(path);
    REQUIRE(file.has_value());
    REQUIRE(file->write("kept").has_value());
  }
  CHECK(read_whole(path) == "kept");
}

TEST_CASE("a private file replaces nothing and follows no link") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("there", "as it was");
  fs::create_symlink(directory.path("nowhere"), directory.path("link"));
  for (const auto& taken : {path, directory.path("link"), directory.path()}) {
    const auto file = private_file::create(taken);
    REQUIRE_FALSE(file.has_value());
    CHECK(file.error().detail.find(taken) != std::string::npos);
    CHECK(file.error().detail.find("not replaced") != std::string::npos);
  }
  CHECK(read_whole(path) == "as it was");
  CHECK_FALSE(fs::exists(directory.path("nowhere")));
  CHECK_FALSE(private_file::create(directory.path("none/secret")).has_value());
}

} // namespace
} // namespace matchcloud::cli
