// The exports of a data directory.
#include "store/exports/export_objects.hpp"

#include "tests/store/exports/export_fixture.hpp"

#include <sys/stat.h>

#include <vector>

namespace matchcloud::store {

namespace {

using base::errc;
using fixtures::temporary_directory;

namespace fs = std::filesystem;

TEST_CASE("a published export is found whole, for this user alone") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  auto draft = begin(*files, 1);
  REQUIRE(draft.has_value());
  REQUIRE((*draft)->append("a,b\r\n"));
  REQUIRE((*draft)->append(""));
  REQUIRE((*draft)->append("1,2\r\n"));
  CHECK(is_missing(*files, 1));
  REQUIRE((*draft)->publish(1'000));
  CHECK(unfinished_of(directory.path()) == 0);

  const auto opened = files->open(export_id_of(1));
  REQUIRE(opened.has_value());
  CHECK((*opened)->facts == facts_of(1));
  CHECK(content_of(*(*opened)->csv) == "a,b\r\n1,2\r\n");
  CHECK((*opened)->gzip == nullptr);
  const auto folder = directory.path("exports/e0000000-0000-0000-0000-000000000001");
  CHECK(fs::exists(folder + "/1"));
  for (const auto& each : fs::directory_iterator{folder})
    CHECK((fs::status(each).permissions() & fs::perms{0077}) == fs::perms{});
}

TEST_CASE("a draft that is dropped leaves neither files nor bytes") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path(), 100);
  {
    auto draft = begin(*files, 1);
    REQUIRE(draft.has_value());
    REQUIRE((*draft)->append(std::string(60, 'x')));
    CHECK(files->used_bytes() == 60);
    CHECK(unfinished_of(directory.path()) == 1);
  }
  CHECK(files->used_bytes() == 0);
  CHECK(unfinished_of(directory.path()) == 0);
  CHECK(entries_of(directory.path("exports")) == 0);
}

TEST_CASE("an export that cannot be published leaves nothing, and what is there stays") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), "first");
  const auto again = publish(*files, facts_of(1), "second");
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().code == errc::store_failed);
  CHECK(csv_of(*files, 1) == "first");
  CHECK(files->used_bytes() == 5);
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("a restart finds what was published and counts its bytes") {
  const temporary_directory directory;
  {
    const auto files = open_ok(directory.path());
    publish_ok(*files, facts_of(1), "first");
    publish_ok(*files, facts_of(2), csv_lines(5'000));
    REQUIRE(files->compress(export_id_of(2), {}));
  }
  const auto files = open_ok(directory.path(), 8'000);
  CHECK(csv_of(*files, 1) == "first");
  const auto opened = files->open(export_id_of(2));
  REQUIRE(opened.has_value());
  CHECK((*opened)->facts == facts_of(2));
  REQUIRE((*opened)->gzip != nullptr);
  CHECK(files->used_bytes() == 5'005 + (*opened)->gzip->size_bytes());
}

TEST_CASE("all readers of an export share its descriptors") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), csv_lines(1'000));
  // Only the file is held, as by a response that is being sent.
  const auto csv = (*files->open(export_id_of(1)))->csv;
  CHECK((*files->open(export_id_of(1)))->csv == csv);
  REQUIRE(files->compress(export_id_of(1), {}));
  const auto later = *files->open(export_id_of(1));
  CHECK(later->csv == csv);
  REQUIRE(later->gzip != nullptr);
  CHECK((*files->open(export_id_of(1)))->gzip == later->gzip);
}

TEST_CASE("exports open at once are bounded; those that nobody holds make room") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  const auto records = (*open_sqlite(directory.path()))->exports().value();
  std::vector<std::shared_ptr<const base::open_file>> held;
  for (std::size_t i = 0; i <= open_exports_limit; ++i) {
    export_record record{facts_of(static_cast<std::uint8_t>(i))};
    record.facts.export_id.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
    const auto id = record.facts.export_id;
    // As `publish` leaves it, without waiting for the disk.
    fs::create_directories(directory.path("exports/" + model::to_string(id)));
    directory.file(object_of(record).text(), "x");
    record.size_bytes = 1;
    REQUIRE(records->adopt_export(record));
    const auto opened = files->open(id);
    if (i == open_exports_limit) {
      REQUIRE_FALSE(opened.has_value());
      CHECK(opened.error().code == errc::overloaded);
      held.pop_back();
      CHECK(files->open(id).has_value());
      break;
    }
    REQUIRE(opened.has_value());
    held.push_back((*opened)->csv);
  }
}

TEST_CASE("who has an export open keeps it when it is removed") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), "content");
  const auto opened = *files->open(export_id_of(1));
  files->remove(export_id_of(1));
  CHECK(is_missing(*files, 1));
  CHECK(content_of(*opened->csv) == "content");
  CHECK(entries_of(directory.path("exports")) == 0);
  CHECK(unfinished_of(directory.path()) == 0);
  CHECK(files->used_bytes() == 0);
  files->remove(export_id_of(1));
  CHECK(files->used_bytes() == 0);
}

TEST_CASE("a sweep removes what is over, keeps the rest and leaves alone what is no export") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1, 1'000), "over");
  publish_ok(*files, facts_of(2, 1'001), "still");
  publish_ok(*files, facts_of(3, 5'000), csv_lines(3'000));
  REQUIRE(files->compress(export_id_of(3), {}));
  fs::create_directories(directory.path("exports/notes"));
  directory.file("exports/notes/a", "mine");
  // Names in another notation than ours belong to no exports.
  fs::create_directories(directory.path("exports/E0000000-0000-0000-0000-000000000009"));
  directory.file("exports/e0000000-0000-0000-0000-000000000008", "a file");

  REQUIRE(files->sweep(1'000));
  CHECK(is_missing(*files, 1));
  CHECK(csv_of(*files, 2) == "still");
  const auto third = (*files->open(export_id_of(3)))->gzip->size_bytes() + 3'000;
  CHECK(files->used_bytes() == 5 + third);
  REQUIRE(files->sweep(4'999));
  CHECK(files->used_bytes() == third);
  REQUIRE(files->sweep(5'000));
  CHECK(files->used_bytes() == 0);
  CHECK(entries_of(directory.path("exports")) == 3);
  CHECK(fs::exists(directory.path("exports/notes/a")));
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("a sweep counts drafts as well, and what another process removed no more") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), "12345");
  publish_ok(*files, facts_of(2), "1234567");
  auto draft = begin(*files, 3);
  REQUIRE((*draft)->append("123"));
  open_ok(directory.path())->remove(export_id_of(1));
  CHECK(is_missing(*files, 1));
  CHECK(files->used_bytes() == 15);
  REQUIRE(files->sweep(0));
  CHECK(files->used_bytes() == 10);
}

TEST_CASE("an export whose file is damaged or gone is not served, and it is removed") {
  const temporary_directory directory;
  const auto csv = [&](std::uint8_t number) { return csv_path(directory.path(), number); };
  const auto files = open_ok(directory.path());
  for (std::uint8_t i = 1; i <= 5; ++i)
    publish_ok(*files, facts_of(i), "content");
  fs::remove(csv(1));
  fs::resize_file(csv(2), 6);
  fs::rename(csv(3), csv(3) + "~");
  fs::create_symlink("1~", csv(3));
  fs::remove(csv(4));
  REQUIRE(::mkfifo(csv(4).c_str(), 0600) == 0);
  for (std::uint8_t i = 1; i <= 4; ++i) {
    CAPTURE(i);
    CHECK(files->has(export_id_of(i)));
    CHECK(files->compress(export_id_of(i), {}).error().code == errc::export_not_found);
    CHECK_FALSE(files->has(export_id_of(i)));
    CHECK_FALSE(fs::exists(csv(i)));
  }
  CHECK(csv_of(*files, 5) == "content");
  CHECK(files->used_bytes() == 7);
}

TEST_CASE("while the database is away exports that are known are served, and no others") {
  const temporary_directory directory;
  publish_ok(*open_ok(directory.path()), facts_of(1), "of another");
  store_settings settings;
  settings.sessions.idle = 0;
  const moved_clock clock;
  const auto files =
      *fixtures::open_exports(directory.path(), *open_sqlite(directory.path(), settings), clock);
  publish_ok(*files, facts_of(2), "content");
  const auto database = directory.path("matchcloud.db");
  fs::rename(database, database + "~");
  CHECK(csv_of(*files, 2) == "content");
  CHECK(files->open(export_id_of(1)).error().code == errc::store_failed);
  CHECK(files->has(export_id_of(3)));
  fs::rename(database + "~", database);
  CHECK(csv_of(*files, 1) == "of another");
  CHECK_FALSE(files->has(export_id_of(3)));
}

TEST_CASE("the lease of a file is renewed while it is written, and lost if nobody does") {
  const temporary_directory directory;
  moved_clock clock;
  const auto records = *open_sqlite(directory.path());
  const auto files = *fixtures::open_exports(directory.path(), records, clock);
  const auto draft = *begin(*files, 1);
  REQUIRE(draft->append("1"));
  // As if it had been taken over.
  REQUIRE((*records->exports())->forget_export({facts_of(1)}));
  REQUIRE(draft->append("2"));
  CHECK(draft->is_own());
  clock.move(export_renewal_interval);
  CHECK_FALSE(draft->is_own());
  CHECK(files->leases_lost() == 1);
  CHECK_FALSE(draft->publish(1'000).has_value());
  CHECK(entries_of(directory.path("exports")) == 0);
}

TEST_CASE("threads that publish, open, compress and sweep at once get along") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  const auto content = csv_lines(20'000);
  const auto work = [&](std::uint8_t own) {
    for (int round = 0; round < 10; ++round) {
      if (!publish(*files, facts_of(own), content)) return false;
      if (!files->compress(export_id_of(own), {})) return false;
      const auto opened = files->open(export_id_of(own));
      if (!opened || !(*opened)->gzip || content_of(*(*opened)->csv) != content) return false;
      if (!files->sweep(0)) return false;
      files->remove(export_id_of(own));
      if (!is_missing(*files, own)) return false;
    }
    return true;
  };
  CHECK(four_at_once(work));
  REQUIRE(files->sweep(0)); // another sweep may have counted what was removed during it
  CHECK(files->used_bytes() == 0);
  CHECK(unfinished_of(directory.path()) == 0);
}

} // namespace

} // namespace matchcloud::store
