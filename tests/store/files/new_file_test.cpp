#include "store/files/new_file.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

namespace {

using namespace matchcloud;
using fixtures::read_whole;
using fixtures::temporary_directory;
using store::new_file;

namespace fs = std::filesystem;

TEST_CASE("a new file goes unless it is kept") {
  const temporary_directory directory;
  {
    new_file dropped{directory.path("dropped")};
    new_file kept{directory.path("kept")};
    kept.append("content");
    kept.keep();
    CHECK(fs::exists(directory.path("dropped")));
    const auto moved = std::move(dropped);
  }
  CHECK_FALSE(fs::exists(directory.path("dropped")));
  CHECK(read_whole(directory.path("kept")) == "content");
}

TEST_CASE("a new file is this user's alone, whatever the umask, and takes no name that is taken") {
  const temporary_directory directory;
  for (const mode_t mask : {0000, 0777}) {
    const auto before = ::umask(mask);
    const new_file made{directory.path("new")};
    ::umask(before);
    struct stat found {};
    REQUIRE(::stat(directory.path("new").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
  }
  const auto taken = directory.file("taken", "theirs");
  const auto refused = base::attempt([&] { return new_file{taken}; });
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::store_failed);
  CHECK(refused.error().detail.find(taken) != std::string::npos);
  CHECK(read_whole(taken) == "theirs");
}

TEST_CASE("a rename replaces what has the name, a link does not") {
  const temporary_directory directory;
  const auto place = directory.path("place");
  for (const std::string content : {"first", "second"}) {
    new_file file{directory.path("aside")};
    file.append(content);
    file.sync();
    file.rename_to(place);
    CHECK(read_whole(place) == content);
  }
  const auto linked = directory.path("linked");
  for (const std::string content : {"first", "second"}) {
    new_file file{directory.path("aside")};
    file.append(content);
    CHECK(file.link_to(linked) == (content == "first"));
    CHECK(read_whole(linked) == "first");
  }
  CHECK_FALSE(fs::exists(directory.path("aside")));
  new_file lost{directory.path("aside")};
  CHECK_THROWS_AS(lost.link_to(directory.path("none/linked")), base::failure);
}

TEST_CASE("bytes beyond those of a writeback come through") {
  const temporary_directory directory;
  new_file file{directory.path("large")};
  const std::string chunk(1'000'003, 'c');
  std::uint64_t size = 0;
  while (size <= 2 * store::writeback_bytes) {
    file.append(chunk);
    size += chunk.size();
    CHECK(file.size_bytes() == size);
  }
  file.sync();
  CHECK(fs::file_size(directory.path("large")) == size);
}

} // namespace
