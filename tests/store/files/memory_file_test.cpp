#include "store/files/memory_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <fstream>
#include <iterator>

namespace matchcloud::store {
namespace {

using namespace fixtures;

constexpr std::size_t page = 4096;

/// An in-memory copy of a file of several pages, mapped the way libmaxminddb does.
struct mapped_copy {
  temporary_directory folder;
  std::string content = std::string(5 * page, 'a') + std::string(100, 'z');
  memory_file copy = memory_file::copy_of(folder.file("a", content), 1 << 20).value();
  std::uint8_t* at = nullptr;

  mapped_copy() {
    const int descriptor = ::open(copy.path().c_str(), O_RDONLY);
    auto* const mapped = ::mmap(nullptr, content.size(), PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    REQUIRE(mapped != MAP_FAILED);
    at = static_cast<std::uint8_t*>(mapped);
  }
  ~mapped_copy() { ::munmap(at, content.size()); }

  bool copy_over() const { return copy.copy_over({at, content.size()}); }
};

/// The number of this process's mappings of in-memory copies.
std::size_t mappings_of_copies() {
  std::ifstream maps{"/proc/self/maps"};
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("memfd:matchcloud") != std::string::npos) ++found;
  return found;
}

TEST_CASE("A private copy takes the place of a mapping") {
  const mapped_copy on;
  CHECK(mappings_of_copies() == 1);
  REQUIRE(on.copy_over());
  CHECK(mappings_of_copies() == 0);
  CHECK(std::equal(on.content.begin(), on.content.end(), on.at));
}

TEST_CASE("Without memory for a copy no hole is left in its place") {
  const mapped_copy on;
  child starved{[&on] {
    constexpr rlimit none{page, page};
    if (::setrlimit(RLIMIT_DATA, &none) != 0 || on.copy_over()) return false;
    // madvise fails if a page is not mapped.
    return ::madvise(on.at, on.content.size(), MADV_NORMAL) == 0;
  }};
  CHECK(starved.succeeded());
}

} // namespace
} // namespace matchcloud::store
