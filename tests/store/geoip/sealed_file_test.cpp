#include "store/geoip/sealed_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

namespace matchcloud::store {
namespace {

using fixtures::temporary_directory;

std::string text_in(const sealed_file& file) {
  return {file.bytes().begin(), file.bytes().end()};
}

TEST_CASE("A sealed copy is the file as it was, whatever happens to it, and nobody can write it") {
  const temporary_directory folder;
  const auto size = GENERATE(1U, 1U << 20U, (1U << 20U) + 1, 3'000'000U);
  std::string text(size, 'x');
  text.back() = 'y';
  const auto path = folder.file("a", text);
  auto copied = sealed_file::copy(path).value();
  std::filesystem::resize_file(path, 0);
  std::filesystem::remove(path);
  const auto moved = std::move(copied);
  CHECK(text_in(moved) == text);
  CHECK(std::filesystem::file_size(moved.path()) == size);
  const int writing = ::open(moved.path().c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(writing >= 0);
  CHECK(::write(writing, "z", 1) == -1);
  CHECK(::ftruncate(writing, 0) == -1);
  ::close(writing);
}

TEST_CASE("One bit of a corrupted copy is wrong") {
  const temporary_directory folder;
  const auto copied = sealed_file::copy(folder.file("a", "abc"), 8 + 24).value();
  CHECK(text_in(copied) == "acc");
}

TEST_CASE("What cannot be copied is refused with the reason alone") {
  const temporary_directory folder;
  CHECK(sealed_file::copy(folder.path("none")).error().detail == "open: No such file or directory");
  CHECK(sealed_file::copy(folder.path()).error().detail == "not a regular file");
  CHECK(sealed_file::copy(folder.file("empty", "")).error().detail == "the file is empty");
}

} // namespace
} // namespace matchcloud::store
