#include "base/files/name_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <cerrno>
#include <filesystem>

namespace {

using namespace matchcloud;

TEST_CASE("a file takes a name that is free, and none that is taken") {
  const fixtures::temporary_directory in;
  const auto from = in.file("from", "new");
  const auto to = in.path("to");
  CHECK(base::name_file(from.c_str(), to.c_str()) == 0);
  CHECK(std::filesystem::file_size(to) == 3);
  const auto other = in.file("other", "longer");
  CHECK(base::name_file(other.c_str(), to.c_str()) == EEXIST);
  CHECK(std::filesystem::file_size(to) == 3);
  CHECK(base::name_file(in.path("none").c_str(), in.path("free").c_str()) == ENOENT);
}

} // namespace
