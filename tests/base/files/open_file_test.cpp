#include "base/files/open_file.hpp"

#include "base/files/name_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>

namespace matchcloud::base {
namespace {

struct open_file_bench {
  fixtures::temporary_directory folder;
  std::string bytes = std::string(100'000, 'a') + std::string(100'000, 'b');
  open_file file{file_descriptor{::open(folder.file("f", bytes).c_str(), O_RDONLY | O_CLOEXEC)},
                 bytes.size()};
};

TEST_CASE("readers have offsets of their own and see the end") {
  open_file_bench on;
  std::string some(10, '\0');
  CHECK(on.file.read(some, 99'995) == 10);
  CHECK(some == "aaaaabbbbb");
  CHECK(on.file.read(some, 0) == 10);
  CHECK(some == "aaaaaaaaaa");
  CHECK(on.file.read(some, 199'997) == 3);
  CHECK(on.file.read(some, 200'000) == 0);
  CHECK(on.file.size_bytes() == 200'000);
}

TEST_CASE("pages that were read ahead are in memory") {
  open_file_bench on;
  REQUIRE(::fsync(on.file.descriptor()) == 0);
  REQUIRE(::posix_fadvise(on.file.descriptor(), 0, 0, POSIX_FADV_DONTNEED) == 0);
  on.file.read_ahead(0, on.file.size_bytes());
  CHECK(on.file.is_resident(0, on.file.size_bytes()));
  CHECK(on.file.is_resident(199'999, 1));
}

TEST_CASE("reading ahead beyond the end, or of what cannot be read, ends") {
  open_file_bench on;
  on.file.read_ahead(150'000, UINT64_MAX - 150'000);
  const open_file none{file_descriptor{}, 10};
  none.read_ahead(0, 10);
  std::string some(10, '\0');
  CHECK(none.read(some, 0) == -1);
}

} // namespace
} // namespace matchcloud::base

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
