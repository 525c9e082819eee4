#include "store/export_records.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

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

} // namespace
} // namespace matchcloud::store
