// What is known of exports: their records and names, the bytes they have, and those of earlier
// versions.
#include "store/export_records.hpp"

#include "store/exports/export_ledger.hpp"
#include "store/exports/former_exports.hpp"
#include "tests/catch.hpp"
#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

namespace fs = std::filesystem;

const std::string id_text = "00000000-0000-4000-8000-0000000000a1";

export_record record_of(std::int64_t generation) {
  export_record record;
  record.facts.export_id = *model::parse_uuid(id_text);
  record.generation = generation;
  return record;
}

TEST_CASE("an export's object is named after its id and how often it was written") {
  CHECK(object_of(record_of(1)).text() == "exports/" + id_text + "/1");
  CHECK(object_of(record_of(12)).text() == "exports/" + id_text + "/12");
  CHECK(object_of(record_of(1)).text().starts_with(exports_folder().text() + '/'));
}

TEST_CASE("the name of an export's object is read back") {
  CHECK(rc::check([](const std::array<std::uint8_t, 16>& id) {
    export_record record;
    record.facts.export_id.bytes = id;
    record.generation =
        *rc::gen::inRange<std::int64_t>(1, std::numeric_limits<std::int64_t>::max());
    RC_ASSERT(read_export_name(object_of(record)) == record);
    RC_ASSERT(read_export_name(gzip_of(record)) == record);
  }));
  const auto last = record_of(std::numeric_limits<std::int64_t>::max());
  CHECK(read_export_name(object_of(last)) == last);
}

TEST_CASE("what is not named exactly like an export is none") {
  const auto is_export = [](const std::string& text) {
    const auto name = object_name::parse(text);
    return name && read_export_name(*name);
  };
  CHECK(is_export("exports/" + id_text + "/1"));
  CHECK(is_export("exports/" + id_text + "/1.gz"));
  for (const auto* const generation : {"", "0", "1.gz.gz", ".gz", "-1", "+1", "01", "1.", "1a", "a",
                                       "1/1", "9223372036854775808"}) {
    CAPTURE(generation);
    CHECK_FALSE(is_export("exports/" + id_text + "/" + generation));
  }
  CHECK_FALSE(is_export("exports/" + id_text));
  CHECK_FALSE(is_export(id_text + "/1"));
  CHECK_FALSE(is_export("media/" + id_text + "/1"));
  CHECK_FALSE(is_export("exports/a/" + id_text + "/1"));
  CHECK_FALSE(is_export("exports/00000000-0000-4000-8000-0000000000A1/1"));
  CHECK_FALSE(is_export("exports/x/1"));
  CHECK_FALSE(is_export("exports/" + id_text + "0/1"));
  CHECK_FALSE(is_export("exports"));
}

/// Of a game whose lobbies are at revision 5 and whose names are at 2, as the store is now.
query_exports with(std::vector<export_record> records) {
  return {1'000, {5, 2}, std::move(records)};
}

export_record running(std::int64_t leased_until_ts,
                      const std::optional<history_snapshot>& of = {}) {
  auto record = record_of(1);
  record.owner = record.facts.export_id;
  record.leased_until_ts = leased_until_ts;
  record.snapshot = of;
  return record;
}

export_record whole(const history_snapshot& of, std::int64_t keep_until_ts = 9'000) {
  auto record = running(0, of);
  record.facts.query.span = {10, 500};
  record.facts.keep_until_ts = keep_until_ts;
  record.is_complete = true;
  return record;
}

TEST_CASE("an export serves as long as nothing moved and its links can be kept") {
  const auto serves = [](const export_record& record) {
    return with({record}).find_whole(9'000) != nullptr;
  };
  CHECK(serves(whole({{5, 2}, 400})));
  CHECK(serves(whole({{6, 3}, 400})));
  CHECK_FALSE(serves(whole({{4, 2}, 400})));
  CHECK_FALSE(serves(whole({{5, 1}, 400})));
  CHECK_FALSE(serves(whole({{5, 2}, 400}, 8'999)));
  auto growing = whole({{5, 2}, 400});
  growing.has_running = true;
  CHECK_FALSE(serves(growing));
  growing.facts.query.span.end = 400; // nothing runs on within it
  CHECK(serves(growing));
  auto of_older_program = whole({{5, 2}, 400});
  of_older_program.snapshot.reset();
  CHECK_FALSE(serves(of_older_program));
  CHECK_FALSE(serves(running(2'000, history_snapshot{{5, 2}, 400})));
}

TEST_CASE("an export is being written as long as its lease, and then abandoned") {
  const history_snapshot recent{{5, 2}, 400};
  const history_snapshot old{{4, 2}, 300};
  CHECK(with({running(1'001)}).find_running() != nullptr);
  CHECK(with({running(1'001, recent)}).find_running() != nullptr);
  CHECK(with({running(1'001, old)}).find_running() == nullptr);
  CHECK(with({running(1'000)}).find_running() == nullptr);
  CHECK(with({running(1'001)}).find_abandoned() == nullptr);
  CHECK(with({running(1'000, old)}).find_abandoned() != nullptr);
  CHECK(with({whole(recent)}).find_running() == nullptr);
  CHECK(with({whole(recent)}).find_abandoned() == nullptr);
  auto of_older_program = running(0);
  of_older_program.owner.reset();
  CHECK(with({of_older_program}).find_abandoned() == nullptr);
  const auto several = with({running(1'001, old), running(1'002), running(1'003)});
  CHECK(several.find_running() == &several.records[1]);
}

const auto game = export_id_of(101);
const auto neighbour = export_id_of(102);

TEST_CASE("bytes are taken up to exactly the limit, also after others went beyond it") {
  export_ledger ledger{{10}};
  CHECK_FALSE(ledger.take(game, 11));
  CHECK(ledger.take(game, 4));
  CHECK_FALSE(ledger.take(game, UINT64_MAX));
  CHECK(ledger.take(neighbour, 6));
  CHECK(ledger.take(game, 0));
  CHECK_FALSE(ledger.check_another(game));
  ledger.give_back(game, 4);
  ledger.give_back(neighbour, 6);
  ledger.recount({{game, {1, 30}}}); // from another process
  CHECK_FALSE(ledger.take(neighbour, 1));
  CHECK(ledger.used_bytes() == 30);
  ledger.recount({{game, {1, 3}}});
  CHECK(ledger.take(neighbour, 7));
}

TEST_CASE("what was taken becomes what a finished export has, once") {
  export_ledger ledger{{100}};
  REQUIRE(ledger.take(game, 20));
  ledger.add_finished(game, {1, 20});
  CHECK(ledger.used_bytes() == 20);
  REQUIRE(ledger.take(game, 5));
  ledger.add_finished(game, {0, 5});
  CHECK(ledger.used_bytes() == 25);
  ledger.remove_finished(game, 25);
  ledger.remove_finished(game, 25);
  CHECK(ledger.used_bytes() == 0);
}

TEST_CASE("the number of exports is limited, however small they are") {
  export_ledger ledger{{100, 100, 2}};
  ledger.add_finished(game, {1, 0});
  CHECK(ledger.check_another(game));
  ledger.add_finished(game, {1, 0});
  CHECK_FALSE(ledger.check_another(neighbour));
  ledger.remove_finished(game, 0);
  CHECK(ledger.check_another(neighbour));
}

TEST_CASE("a game uses its share of the space, and the rest is there for others") {
  export_ledger ledger{{100, 60}};
  REQUIRE(ledger.take(game, 40));
  ledger.add_finished(game, {1, 40});
  REQUIRE(ledger.take(game, 20));
  const auto refused = ledger.take(game, 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::errc::exports_full);
  CHECK(refused.error().detail.find("60 bytes, export-share-percent") != std::string::npos);
  CHECK_FALSE(ledger.check_another(game));
  CHECK(ledger.refused_by_share() == 2);
  CHECK(ledger.check_another(neighbour));
  REQUIRE(ledger.take(neighbour, 40));
  CHECK(ledger.take(neighbour, 1).error() == store::exports_full().value());
  CHECK(ledger.refused_by_share() == 2);
  ledger.remove_finished(game, 40); // its URLs have expired
  CHECK(ledger.take(game, 40));
}

TEST_CASE("a game has its share of the number of exports, at least one") {
  export_ledger ledger{{100, 50, 4}};
  ledger.add_finished(game, {1, 0});
  CHECK(ledger.check_another(game));
  ledger.add_finished(game, {1, 0});
  CHECK_FALSE(ledger.check_another(game));
  CHECK(ledger.check_another(neighbour));
  export_ledger least{{100, 1, 4}};
  CHECK(least.check_another(game));
  least.add_finished(game, {1, 0});
  CHECK_FALSE(least.check_another(game));
}

TEST_CASE(
    "finished bytes by game are counted again, apart from those taken, and never below nothing") {
  export_ledger ledger{{100, 100, 3}};
  REQUIRE(ledger.take(game, 20));
  ledger.recount({{game, {1, 10}}, {neighbour, {1, 30}}});
  CHECK(ledger.used_bytes() == 60);
  ledger.add_finished(game, {1, 20}); // its bytes were taken
  CHECK(ledger.used_bytes() == 60);
  CHECK_FALSE(ledger.check_another(game)); // three exports
  ledger.remove_finished(neighbour, 40);
  CHECK(ledger.used_bytes() == 30);
  ledger.remove_finished(neighbour, 40);
  CHECK(ledger.used_bytes() == 30);
  CHECK(ledger.check_another(neighbour));
  REQUIRE(ledger.take(game, 5));
  ledger.recount({{neighbour, {1, 1}}});
  CHECK(ledger.used_bytes() == 6);
}

TEST_CASE("taken bytes go back with what took them unless they are kept") {
  export_ledger ledger{{100}};
  {
    taken_bytes lost{ledger, game};
    REQUIRE(lost.take(20));
    CHECK_FALSE(lost.take(90));
    CHECK(lost.bytes() == 20);
    taken_bytes kept{ledger, game};
    REQUIRE(kept.take(5));
    CHECK(kept.keep() == 5);
    CHECK(ledger.used_bytes() == 25);
  }
  CHECK(ledger.used_bytes() == 5);
}

/// What earlier versions wrote about `facts_of(1)` with five bytes of CSV.
const std::string sound = R"({"export_id":"e0000000-0000-0000-0000-000000000001",)"
                          R"("game_id":"e0000000-0000-0000-0000-000000000065","query_start":7,)"
                          R"("query_end":18446744073709551615,"keep_until_ts":1000,"csv_bytes":5})"
                          "\n";

std::string with(const std::string& from, const std::string& to) {
  auto text = sound;
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

struct former_exports_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<database> in = had(open_sqlite(directory.path()));
  std::string folder = fs::path{csv_path(directory.path(), 1)}.parent_path();

  explicit former_exports_bench(const std::string& about = sound) {
    fs::create_directories(folder);
    write("about.json", about);
    write("lobby-history.csv", "a,b\r\n");
    write("lobby-history.csv.gz", "packed");
  }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream{folder + "/" + name} << bytes;
  }
  void adopt(std::int64_t now_ts = 999) const {
    adopt_former_exports(directory.path(), *in, now_ts);
  }
  std::optional<export_record> record() const {
    return had(had(in->exports())->find_export(export_id_of(1)));
  }
  void check_adopted() const {
    const auto found = record();
    REQUIRE(found);
    CHECK(found->sha256.empty());
    CHECK_FALSE(found->snapshot);
    const auto files = open_ok(directory.path());
    const auto opened = had(files->open(export_id_of(1)));
    CHECK(opened->facts == found->facts);
    CHECK(content_of(*opened->csv) == "a,b\r\n");
    REQUIRE(opened->gzip);
    CHECK(content_of(*opened->gzip) == "packed");
    CHECK(files->used_bytes() == 11);
    CHECK(entries_of(folder) == 2);
  }
  void check_removed() const {
    CHECK_FALSE(record());
    CHECK(entries_of(directory.path("exports")) == 0);
  }
};

TEST_CASE("an export of an earlier version is served on, as long as it was to be kept") {
  const former_exports_bench on;
  on.adopt();
  on.check_adopted();
  CHECK(on.record()->facts == facts_of(1));
  on.adopt(2'000); // what is adopted already is left to the sweeps
  on.check_adopted();
}

TEST_CASE("an export of an earlier version in a dialect is one of that dialect") {
  const former_exports_bench on{with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"excel\"")};
  on.adopt();
  on.check_adopted();
  CHECK(on.record()->facts.query.dialect == model::csv_dialect::excel);
}

TEST_CASE("an adoption continues wherever a killed process left it") {
  const former_exports_bench on;
  const auto killed_after = GENERATE(1, 2, 3);
  fs::rename(on.folder + "/lobby-history.csv", on.folder + "/1");
  if (killed_after > 1) fs::rename(on.folder + "/lobby-history.csv.gz", on.folder + "/1.gz");
  if (killed_after > 2) {
    on.adopt();
    on.write("about.json", sound);
  }
  on.adopt();
  on.check_adopted();
}

TEST_CASE("an export of an earlier version that is over is removed") {
  const former_exports_bench on;
  on.adopt(1'000);
  on.check_removed();
}

TEST_CASE("an export of an earlier version that is damaged is removed") {
  const auto about = GENERATE_COPY(values<std::string>({
      "",
      "[]",
      "{}",
      sound + sound,
      sound.substr(0, sound.size() - 3),
      with("\"csv_bytes\":5", "\"csv_bytes\":6"), // of another file
      with("0000000001\"", "0000000002\""),       // of another export
      with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"xls\""),
      with("\"csv_bytes\":5", "\"csv_bytes\":\"5\""),
      with("\"csv_bytes\":5", "\"csv_bytes\":-5"),
      with("\"csv_bytes\":5", "\"csv_bytes\":5.5"),
      with("\"csv_bytes\":5", "\"csv_bytes\":18446744073709551616"),
      with("\"csv_bytes\":5", "\"csv_size\":5"),
      with("\"keep_until_ts\":1000", "\"keep_until_ts\":9223372036854775808"),
      with("\"keep_until_ts\":1000", "\"keep_until_ts\":null"),
      with("\"query_end\":18446744073709551615", "\"query_end\":6"),
      with("\"game_id\":\"e0", "\"game_id\":\"x0"),
      with("{", "{" + std::string(5'000, ' ')),
  }));
  CAPTURE(about);
  const former_exports_bench on{about};
  on.adopt();
  on.check_removed();
}

TEST_CASE("what is no export of an earlier version stays as it is") {
  const former_exports_bench on;
  fs::create_directories(on.directory.path("exports/notes"));
  on.directory.file("exports/notes/about.json", sound);
  on.directory.file("exports/about.json", sound);
  on.adopt();
  on.check_adopted();
  CHECK(entries_of(on.directory.path("exports")) == 3);
  const fixtures::temporary_directory empty;
  adopt_former_exports(empty.path(), *on.in, 0);
  CHECK(entries_of(empty.path()) == 0);
}

} // namespace
} // namespace matchcloud::store
