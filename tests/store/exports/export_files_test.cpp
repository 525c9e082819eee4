#include "store/exports/export_files.hpp"

#include "tests/store/exports/export_fixture.hpp"

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <vector>

namespace matchcloud::store {

namespace {

using base::errc;
using fixtures::temporary_directory;

namespace fs = std::filesystem;

std::string csv_of(export_files& files, std::uint8_t number) {
  const auto opened = files.open(export_id_of(number));
  return opened ? content_of(*(*opened)->csv) : base::to_string(opened.error());
}

bool is_missing(export_files& files, std::uint8_t number) {
  const auto opened = files.open(export_id_of(number));
  return !opened && opened.error().code == errc::export_not_found;
}

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
  const auto folder = export_path(directory.path(), export_id_of(1));
  CHECK(folder == directory.path("exports/e0000000-0000-0000-0000-000000000001"));
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

TEST_CASE("exactly the limit of bytes passes, one more does not, and nothing is removed for room") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path(), 100);
  publish_ok(*files, facts_of(1), std::string(40, 'a'));
  auto draft = begin(*files, 2);
  auto other = begin(*files, 3);
  REQUIRE(draft.has_value());
  REQUIRE(other.has_value());
  REQUIRE((*draft)->append(std::string(59, 'b')));
  const auto refused = (*other)->append("cc");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::exports_full);
  REQUIRE((*draft)->append("b"));
  CHECK(files->used_bytes() == 100);
  CHECK(begin(*files, 4).error().code == errc::exports_full);
  REQUIRE((*draft)->publish(1'000));
  CHECK(files->used_bytes() == 100);
  CHECK(begin(*files, 4).error().code == errc::exports_full);
  CHECK(csv_of(*files, 1) == std::string(40, 'a'));
  CHECK(csv_of(*files, 2) == std::string(60, 'b'));

  files->remove(export_id_of(1));
  CHECK(files->used_bytes() == 60);
  publish_ok(*files, facts_of(3), std::string(40, 'd'));
}

TEST_CASE("a game's files fill its share alone, after a restart as well") {
  const temporary_directory directory;
  const auto of_game = [](std::uint8_t number, std::uint8_t game) {
    auto facts = facts_of(number);
    facts.query.game_id = export_id_of(game);
    return facts;
  };
  publish_ok(*open_ok(directory.path()), of_game(1, 101), std::string(60, 'a'));
  const auto files = *export_files::open(directory.path(), {100, 60});
  const auto refused = begin(*files, of_game(2, 101));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::exports_full);
  CHECK(refused.error().detail.find("export-share-percent") != std::string::npos);
  CHECK(files->refused_by_share() == 1);
  publish_ok(*files, of_game(3, 102), std::string(40, 'b'));
  files->remove(export_id_of(1));
  publish_ok(*files, of_game(2, 101), std::string(50, 'c'));
}

TEST_CASE("a draft that was not written whole is not published") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path(), 10);
  auto draft = begin(*files, 1);
  REQUIRE(draft.has_value());
  REQUIRE((*draft)->append("12345"));
  REQUIRE_FALSE((*draft)->append("123456").has_value());
  CHECK_FALSE((*draft)->append("1").has_value());
  CHECK_FALSE((*draft)->publish(1'000).has_value());
  draft->reset();
  CHECK(is_missing(*files, 1));
  CHECK(files->used_bytes() == 0);
  CHECK(unfinished_of(directory.path()) == 0);
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
  CHECK(files->known() == 1);
}

/// Creates the files that `publish` would leave, without waiting for the disk.
void place(const std::string& data_dir, const export_facts& facts, const std::string& bytes) {
  const auto folder = export_path(data_dir, facts.export_id);
  fs::create_directories(folder);
  std::ofstream{folder + "/about.json"} << render_about({facts, bytes.size()});
  std::ofstream{folder + "/lobby-history.csv"} << bytes;
}

TEST_CASE("exports open at once are bounded; those that nobody holds make room") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  std::vector<std::shared_ptr<const base::open_file>> held;
  for (std::size_t i = 0; i <= open_exports_limit; ++i) {
    auto facts = facts_of(static_cast<std::uint8_t>(i));
    facts.export_id.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
    place(directory.path(), facts, "x");
    const auto opened = files->open(facts.export_id);
    if (i == open_exports_limit) {
      REQUIRE_FALSE(opened.has_value());
      CHECK(opened.error().code == errc::overloaded);
      held.pop_back();
      CHECK(files->open(facts.export_id).has_value());
      CHECK(files->known() <= open_exports_limit);
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
  // Names in another notation than ours are no exports.
  fs::create_directories(directory.path("exports/E0000000-0000-0000-0000-000000000009"));
  directory.file("exports/e0000000-0000-0000-0000-000000000008", "a file");
  fs::create_directory_symlink(export_path(directory.path(), export_id_of(2)),
                               export_path(directory.path(), export_id_of(7)));

  REQUIRE(files->sweep(1'000));
  CHECK(is_missing(*files, 1));
  CHECK(csv_of(*files, 2) == "still");
  CHECK(is_missing(*files, 7));
  const auto third = (*files->open(export_id_of(3)))->gzip->size_bytes() + 3'000;
  CHECK(files->used_bytes() == 5 + third);
  REQUIRE(files->sweep(4'999));
  CHECK(files->used_bytes() == third);
  REQUIRE(files->sweep(5'000));
  CHECK(files->used_bytes() == 0);
  CHECK(entries_of(directory.path("exports")) == 4);
  CHECK(fs::exists(directory.path("exports/notes/a")));
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("a sweep counts drafts as well, and what was removed behind its back no more") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), "12345");
  publish_ok(*files, facts_of(2), "1234567");
  auto draft = begin(*files, 3);
  REQUIRE((*draft)->append("123"));
  fs::remove_all(export_path(directory.path(), export_id_of(1)));
  CHECK(is_missing(*files, 1));
  CHECK(files->used_bytes() == 15);
  REQUIRE(files->sweep(0));
  CHECK(files->used_bytes() == 10);
}

TEST_CASE("an export whose facts or file are damaged is not served and not removed") {
  const temporary_directory directory;
  const auto about = [&](std::uint8_t number) {
    return export_path(directory.path(), export_id_of(number)) + "/about.json";
  };
  const auto csv = [&](std::uint8_t number) {
    return export_path(directory.path(), export_id_of(number)) + "/lobby-history.csv";
  };
  {
    const auto files = open_ok(directory.path());
    for (std::uint8_t i = 1; i <= 9; ++i)
      publish_ok(*files, facts_of(i), "content");
  }
  fs::remove(about(1));
  std::ofstream{about(2)} << "{";
  // The facts of another export.
  fs::copy_file(about(4), about(3), fs::copy_options::overwrite_existing);
  fs::remove(csv(4));
  fs::resize_file(csv(5), 6);
  fs::rename(csv(6), csv(6) + "~");
  fs::create_symlink("lobby-history.csv~", csv(6));
  fs::remove(csv(7));
  REQUIRE(::mkfifo(csv(7).c_str(), 0600) == 0);
  std::ofstream{about(8)} << std::string(about_limit_bytes + 1, ' ');

  const auto files = open_ok(directory.path());
  for (std::uint8_t i = 1; i <= 8; ++i) {
    CAPTURE(i);
    CHECK(is_missing(*files, i));
    CHECK(files->compress(export_id_of(i), {}).error().code == errc::export_not_found);
  }
  CHECK(csv_of(*files, 9) == "content");
  REQUIRE(files->sweep(0));
  CHECK(entries_of(directory.path("exports")) == 9);
  CHECK(unfinished_of(directory.path()) == 0);
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
  CHECK(files->used_bytes() == 0);
  CHECK(unfinished_of(directory.path()) == 0);
}

} // namespace

} // namespace matchcloud::store
