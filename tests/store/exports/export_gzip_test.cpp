#include "store/files/gzip.hpp"

#include "tests/fixtures/inflated.hpp"
#include "tests/store/exports/export_fixture.hpp"

#include <thread>

namespace matchcloud::store {

namespace {

using base::errc;
using fixtures::temporary_directory;

std::string gzip_of(export_objects& files, std::uint8_t number) {
  const auto opened = files.open(export_id_of(number));
  REQUIRE(opened.has_value());
  REQUIRE((*opened)->gzip != nullptr);
  return content_of(*(*opened)->gzip);
}

TEST_CASE("the compressed file has the same bytes, around the sizes of buffers") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  std::uint8_t number = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, gzip_buffer_bytes - 1,
                                 gzip_buffer_bytes, gzip_buffer_bytes + 1, 5 * gzip_buffer_bytes}) {
    const auto content = csv_lines(size);
    publish_ok(*files, facts_of(++number), content);
    REQUIRE(files->compress(export_id_of(number), {}));
    CHECK(fixtures::inflated(gzip_of(*files, number)) == content);
  }
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("bytes that do not compress survive as well") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  std::string content(2 * gzip_buffer_bytes + 17, '\0');
  std::uint32_t state = 1;
  for (auto& each : content)
    each = static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24U);
  publish_ok(*files, facts_of(1), content);
  REQUIRE(files->compress(export_id_of(1), {}));
  CHECK(fixtures::inflated(gzip_of(*files, 1)) == content);
}

TEST_CASE("the same bytes make the same compressed file, without a time; it is made once") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), csv_lines(10'000));
  publish_ok(*files, facts_of(2), csv_lines(10'000));
  REQUIRE(files->compress(export_id_of(1), {}));
  REQUIRE(files->compress(export_id_of(2), {}));
  const auto first = gzip_of(*files, 1);
  CHECK(first == gzip_of(*files, 2));
  CHECK(first.substr(4, 4) == std::string(4, '\0'));
  const auto used = files->used_bytes();
  CHECK(used == 2 * (10'000 + first.size()));
  REQUIRE(files->compress(export_id_of(1), [] { return true; }));
  CHECK(files->used_bytes() == used);
}

TEST_CASE("two compressions of an export at once are harmless") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  const auto others = open_ok(directory.path()); // as in another process
  const auto content = csv_lines(1'000'000);
  publish_ok(*files, facts_of(1), content);
  bool first = false;
  bool second = false;
  bool third = false;
  {
    std::thread one{[&] { first = files->compress(export_id_of(1), {}).has_value(); }};
    std::thread two{[&] { second = files->compress(export_id_of(1), {}).has_value(); }};
    third = others->compress(export_id_of(1), {}).has_value();
    one.join();
    two.join();
  }
  CHECK(first);
  CHECK(second);
  CHECK(third);
  const auto packed = gzip_of(*files, 1);
  CHECK(fixtures::inflated(packed) == content);
  REQUIRE(files->sweep(0));
  REQUIRE(others->sweep(0));
  CHECK(files->used_bytes() == content.size() + packed.size());
  CHECK(others->used_bytes() == files->used_bytes());
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("a compression that fails leaves nothing") {
  const temporary_directory directory;
  const auto content = csv_lines(3'000'000);
  const auto files = open_ok(directory.path(), content.size() + 300'000);
  CHECK(files->compress(export_id_of(1), {}).error().code == errc::export_not_found);
  publish_ok(*files, facts_of(1), content);
  int request = 0;
  const auto stopped = files->compress(export_id_of(1), [&] { return ++request == 3; });
  CHECK(stopped.error().code == errc::cancelled);
  // The compressed file would exceed what is left of the limit.
  CHECK(files->compress(export_id_of(1), {}).error().code == errc::exports_full);
  CHECK(files->used_bytes() == content.size());
  CHECK((*files->open(export_id_of(1)))->gzip == nullptr);
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("an export that is removed while it is compressed stays removed") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), csv_lines(1'000'000));
  const auto done = files->compress(export_id_of(1), [&] {
    files->remove(export_id_of(1));
    return false;
  });
  CHECK(done.error().code == errc::export_not_found);
  CHECK(entries_of(directory.path("exports")) == 0);
  CHECK(unfinished_of(directory.path()) == 0);
  CHECK(files->used_bytes() == 0);
}

} // namespace

} // namespace matchcloud::store
