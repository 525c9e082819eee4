// Exports of the lobby history, on every engine: cases, and properties over random histories that
// are compared with a straightforward implementation of docs/interface.md ("Exports").
#include "tests/store/conformance/engines.hpp"
#include "tests/store/history_fixture.hpp"

#include <rapidcheck.h>

#include <limits>
#include <map>
#include <set>

namespace matchcloud::store {
namespace {

using model::time_span;
using numbers = std::vector<std::uint32_t>;

constexpr auto still_running = std::nullopt;
constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("an export has the lobbies alive in its span, by start, then by id", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {1'000, 2'000}, kind_of(11))
                          .add(9, {500, 1'001}, kind_of(12))
                          .add(3, {500, 5'000}, kind_of(11, "iad"))
                          .add(4, {100, 1'000}, kind_of(11))   // ends when the span begins
                          .add(5, {2'000, 3'000}, kind_of(11)) // begins when the span ends
                          .add(6, {1'000, 1'000}, kind_of(11)) // zero length, at its begin
                          .add(7, {2'000, 2'000}, kind_of(11)) // zero length, at its end
                          .add(8, {900, 900}, kind_of(11))     // zero length, before
                          .add(20, {1'500, still_running}, kind_of(11))
                          .add(21, {0, still_running}, kind_of(11))
                          .add(22, {2'000, still_running}, kind_of(11))
                          .add(30, {1'000, 2'000}, kind_of(21))); // of another game
  const auto written = write_all(*in.history, {1'000, 2'000}, 10'000);
  CHECK(numbers_of(written) == numbers{21, 3, 9, 1, 6, 20});
  CHECK(written.summary.has_running);
  CHECK_FALSE(write_all(*in.history, {4'000, 4'500}, 10'000).rows().empty());
  CHECK(write_all(*in.history, {1'000, 1'000}, 10'000).csv == model::lobby_csv_header);
}

TEST_CASE("a row says what the catalog and the reports say", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1'000, 2'000}, kind_of(11, "iad", "a,\"b\"\r\n")));
  const auto written = write_all(*in.history, {1'500, 9'000}, 10'000);
  CHECK(written.rows().at(0) ==
        fixtures::csv_record{
            "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-00000000000b", "prod",
            "iad", "Ashburn", "basic-1d1", "00000000-0000-0000-0000-000000000007", "1.0",
            "a,\"b\"\r\n", "1970-01-01T00:00:01.000Z", "1970-01-01T00:00:02.000Z", "1000", "500"});
  CHECK_FALSE(written.summary.has_running);
}

TEST_CASE("names are those of now, also of what was removed", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1'000, 2'000}, kind_of(12)));
  auto renamed = lobby_catalog();
  renamed.namespaces[1].name = "renamed";
  renamed.regions[0].region_display_name = "Main, Hesse";
  REQUIRE(in.catalog->import_document(renamed).has_value());
  const auto before = in.history->revisions(id_of(1));
  using model::element_key;
  using model::element_kind;
  REQUIRE(
      in.catalog->remove(*element_key::parse(element_kind::game_namespace, to_string(id_of(12)))));
  REQUIRE(in.catalog->remove(*element_key::parse(element_kind::region, "fra")));
  const auto written = write_all(*in.history, {0, largest}, 10'000);
  CHECK(written.rows().at(0).at(2) == "renamed");
  CHECK(written.rows().at(0).at(4) == "Main, Hesse");
  CHECK(written.summary.snapshot.revisions.catalog > before->catalog);
  CHECK(written.summary.snapshot.revisions.lobbies == before->lobbies);
}

TEST_CASE("a lobby is found by its game and its id", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {1'000, 2'000}, kind_of(11, "iad", "a,\"b\"\r\n"))
                          .add(2, {1'500, still_running}, kind_of(12))
                          .add(3, {1'000, 2'000}, kind_of(21))); // of another game
  const auto ended = had(in.history->find_lobby(id_of(1), id_of(1)));
  REQUIRE(ended);
  CHECK(ended->times == model::lobby_times{1'000, 2'000});
  const auto row = write_all(*in.history, {0, 3'000}, 3'000).rows().at(0);
  const auto columns = fixtures::read_csv(ended->attribute_columns + "\r\n");
  REQUIRE(columns);
  CHECK(columns->at(0) == fixtures::csv_record{row.begin() + 1, row.begin() + 9});
  const auto still = had(in.history->find_lobby(id_of(1), id_of(2)));
  REQUIRE(still);
  CHECK(still->times == model::lobby_times{1'500, still_running});
  CHECK_FALSE(had(in.history->find_lobby(id_of(1), id_of(3))));
  CHECK(had(in.history->find_lobby(id_of(2), id_of(3))));
  CHECK_FALSE(had(in.history->find_lobby(id_of(1), id_of(4))));

  auto renamed = lobby_catalog();
  renamed.namespaces[0].name = "renamed";
  REQUIRE(in.catalog->import_document(renamed).has_value());
  const auto later = had(in.history->find_lobby(id_of(1), id_of(1)));
  CHECK(later->attribute_columns.find("renamed") != std::string::npos);
}

TEST_CASE("what others write while an export reads is wholly out of it", "[engines]") {
  const store_for_lobbies in;
  lobby_list list;
  for (std::uint32_t i = 0; i < 500; ++i)
    list.add(2 * i, {i * 10, i * 10 + 1'000}, kind_of(11));
  merge_all(*in.sink, list.add(9'000, {2'000, still_running}, kind_of(11)));
  const model::export_query query{id_of(1), {0, largest}};
  const auto before = write_all(*in.history, query.span, 100'000);

  const all_roles other{in.open()};
  std::string csv;
  history_snapshot told;
  const auto write_meanwhile = [&](const history_snapshot& snapshot) {
    told = snapshot;
    lobby_list news;
    for (std::uint32_t i = 0; i < 500; ++i)
      news.add(2 * i + 1, {i * 10, i * 10 + 9}, kind_of(11));
    merge_all(*other.sink, news.add(9'000, {2'000, 3'000}, kind_of(11)));
    auto renamed = lobby_catalog();
    renamed.namespaces[0].name = "renamed";
    REQUIRE(other.catalog->import_document(renamed).has_value());
  };
  const history_output to{write_meanwhile,
                          [&](std::string_view bytes, std::uint64_t) -> base::expected<void> {
                            csv += bytes;
                            return {};
                          },
                          {}};
  const auto done = write_lobby_history(*in.history, query, fixed_clock{100'000}, to);
  REQUIRE(done.has_value());
  CHECK(csv == before.csv);
  CHECK(done->snapshot.revisions == told.revisions);
  CHECK(told.revisions == before.summary.snapshot.revisions);

  const auto after = write_all(*in.history, query.span, 100'000);
  CHECK(after.rows().size() == 1'001);
  CHECK_FALSE(after.summary.has_running);
  CHECK(after.summary.snapshot.revisions.lobbies > told.revisions.lobbies);
}

/// Merges 5,000 lobbies of game 1: several chunks of CSV.
void merge_many(lobby_sink& into) {
  lobby_list list;
  for (std::uint32_t i = 0; i < 5'000; ++i)
    list.add(i, {i, i + 5'000}, kind_of(11));
  merge_all(into, list);
}

TEST_CASE("an export comes in pieces that count its rows, begun before the first", "[engines]") {
  const store_for_lobbies in;
  merge_many(*in.sink);
  int begun = 0;
  std::vector<std::size_t> sizes;
  std::uint64_t last_rows = 0;
  std::string csv;
  const history_output to{[&](const history_snapshot&) { begun += sizes.empty() ? 1 : 100; },
                          [&](std::string_view bytes, std::uint64_t rows) -> base::expected<void> {
                            CHECK(rows >= last_rows);
                            csv += bytes;
                            // The chunks so far hold the header line and one line per row.
                            CHECK(std::ranges::count(csv, '\n') == std::int64_t(rows) + 1);
                            sizes.push_back(bytes.size());
                            last_rows = rows;
                            return {};
                          },
                          {}};
  const auto done =
      write_lobby_history(*in.history, {id_of(1), {0, largest}}, fixed_clock{9'000}, to);
  REQUIRE(done.has_value());
  CHECK(begun == 1);
  CHECK(last_rows == 5'000);
  CHECK(done->rows == 5'000);
  CHECK(done->bytes == csv.size());
  CHECK(sizes.size() > 2);
  CHECK(*std::ranges::max_element(sizes) < 300'000);
}

TEST_CASE("a writer that fails ends the export with its error, and the store goes on",
          "[engines]") {
  const store_for_lobbies in;
  merge_many(*in.sink);
  int calls = 0;
  const history_output to{{},
                          [&](std::string_view, std::uint64_t) -> base::expected<void> {
                            ++calls;
                            return base::fail(base::errc::exports_full, "no room");
                          },
                          {}};
  const auto done =
      write_lobby_history(*in.history, {id_of(1), {0, largest}}, fixed_clock{9'000}, to);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error() == base::error{base::errc::exports_full, "no room"});
  CHECK(calls == 1);
  merge_all(*in.sink, lobby_list{}.add(9'999, {1, 2}, kind_of(11)));
  CHECK(write_all(*in.history, {0, largest}, 9'000).rows().size() == 5'001);
}

TEST_CASE("an export that nobody wants any more ends at once, whether it is finding lobbies or not",
          "[engines]") {
  const store_for_lobbies in;
  lobby_list list;
  // All lobbies have one duration class, so that a span after them scans them without finding any.
  for (std::uint32_t i = 0; i < 30'000; ++i)
    list.add(i, {i, i + 70'000}, kind_of(11));
  merge_all(*in.sink, list);
  const bool finding = GENERATE(true, false);
  const model::export_query query{id_of(1), {finding ? 0U : 100'000U, 130'000}};
  int request = 0;
  const auto whole = try_to_write(*in.history, query, 0, [&] { return ++request < 0; });
  REQUIRE(whole.has_value());
  CHECK(whole->rows().size() == (finding ? 30'000 : 0));
  // A server scans on its own: what it does not find is asked about only while it takes long.
  CHECK(request >= (finding ? 6 : 1));
  for (int at = 1; at <= request; at += 2) {
    int now = 0;
    const auto ended = try_to_write(*in.history, query, 0, [&] { return ++now == at; });
    CHECK(now == (ended ? now : at));
    CHECK(ended.has_value() == (now < at));
    if (!ended) CHECK(ended.error().code == base::errc::cancelled);
  }
  merge_all(*in.sink, lobby_list{}.add(99'999, {1, 2}, kind_of(21)));
  CHECK(write_all(*in.history, query.span, 0).csv == whole->csv);
}

__extension__ using wide = __int128;

constexpr auto largest_time = std::numeric_limits<std::uint64_t>::max();
constexpr auto limit_ms = model::timestamp_limit_ms;

const std::vector<std::string> texts{"plain",
                                     "",
                                     "a,b",
                                     "\"",
                                     "\r\n",
                                     "a\rb",
                                     "line\nbreak",
                                     "say \"hi\", twice",
                                     " lead",
                                     "trail ",
                                     "\xF0\x9F\x98\x80",
                                     "\"\"",
                                     ",",
                                     "\xC3\xA9"};

std::string any_text() {
  return *rc::gen::elementOf(texts);
}

struct past_lobby {
  model::uuid id;
  model::lobby_times times;
  model::lobby_attributes kind;
};

struct history {
  std::vector<past_lobby> lobbies;
  /// Keyed by the last byte of the namespace's id.
  std::map<std::uint8_t, std::string> namespace_names;
  std::map<std::string, std::string> region_names;
  /// Most times are below this.
  std::int64_t scale = 0;
};

/// A time up to `scale`, often rounded, so that some are equal.
std::int64_t any_time(std::int64_t scale) {
  const auto time = *rc::gen::inRange<std::int64_t>(0, scale + 1);
  const auto step = *rc::gen::element<std::int64_t>(1, std::max<std::int64_t>(1, scale / 4));
  return std::min(time - time % step, limit_ms);
}

model::lobby_times any_times(std::int64_t scale) {
  const auto start = any_time(scale);
  switch (*rc::gen::inRange(0, 4)) {
  case 0: return {start, std::nullopt};
  case 1: return {start, start};
  default: break;
  }
  const auto longest = std::int64_t{1} << *rc::gen::inRange(0, 48);
  const auto lasted = *rc::gen::inRange<std::int64_t>(0, longest);
  return {start, std::min(start + lasted, limit_ms)};
}

history any_history() {
  history made;
  made.scale = std::min(std::int64_t{1} << *rc::gen::element(3, 6, 12, 27, 34, 48), limit_ms);
  for (const std::uint8_t number : {11, 12, 21})
    made.namespace_names[number] = any_text();
  for (const auto* region : {"fra", "iad"})
    made.region_names[region] = any_text();
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 40);
  for (std::uint32_t number = 0; number < count; ++number) {
    // The order of ids differs from the order of insertion.
    auto kind = kind_of(*rc::gen::element<std::uint32_t>(11, 11, 12, 21),
                        *rc::gen::element<std::string>("fra", "iad"), any_text());
    kind.version_name = any_text();
    made.lobbies.push_back({id_of(number * 2'654'435'761U), any_times(made.scale), kind});
  }
  return made;
}

/// An end of a span: at or next to the time of an event, anywhere, or far out.
std::uint64_t any_end(const history& in) {
  switch (*rc::gen::inRange(0, 4)) {
  case 0:
    return *rc::gen::element<std::uint64_t>(0, 1, limit_ms - 1, limit_ms, limit_ms + 1,
                                            largest_time / 2, largest_time / 2 + 1,
                                            largest_time - 1, largest_time);
  case 1: return static_cast<std::uint64_t>(any_time(in.scale));
  default: break;
  }
  if (in.lobbies.empty()) return 5;
  const auto& times = in.lobbies[*rc::gen::inRange<std::size_t>(0, in.lobbies.size())].times;
  const auto at = *rc::gen::arbitrary<bool>() ? times.start_ts : times.stop_ts.value_or(0);
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, at + *rc::gen::inRange<std::int64_t>(-1, 2)));
}

time_span any_span(const history& in) {
  const auto a = any_end(in);
  const auto b = any_end(in);
  return {std::min(a, b), std::max(a, b)};
}

/// A store that holds one history after another, each with new games.
class history_store {
public:
  void load(const history& wanted) {
    ++round_;
    auto document = lobby_catalog();
    for (auto& game : document.games)
      game.game_id = own(game.game_id);
    for (auto& each : document.namespaces) {
      each.name = wanted.namespace_names.at(each.namespace_id.bytes[15]);
      each.namespace_id = own(each.namespace_id);
      each.game_id = own(each.game_id);
    }
    for (auto& region : document.regions)
      region.region_display_name = wanted.region_names.at(region.region_id);
    had(in_.catalog->import_document(document));
    report(wanted);
  }

  /// Merges all reports of a history.
  void report(const history& of) {
    lobby_list list;
    for (const auto& each : of.lobbies) {
      auto kind = each.kind;
      kind.namespace_id = own(kind.namespace_id);
      list.records.push_back({own(each.id), each.times, list.attributes.number_of(kind)});
    }
    REQUIRE(merge_all(*in_.sink, list).rejected.empty());
  }

  /// Exports game 1 of the current history.
  written_history write(const time_span& span, std::int64_t snapshot_ts) const {
    return write_all(*in_.history, span, snapshot_ts, own(id_of(1)));
  }

  /// Maps an id to the id used for the history that was loaded last.
  model::uuid own(model::uuid id) const {
    id.bytes[0] = static_cast<std::uint8_t>(round_ >> 8);
    id.bytes[1] = static_cast<std::uint8_t>(round_);
    return id;
  }

private:
  conforming_store in_;
  std::uint32_t round_ = 0;
};

bool is_alive(const model::lobby_times& times, const time_span& span) {
  const wide start = times.start_ts;
  const wide begin = span.begin;
  const wide end = span.end;
  if (!times.stop_ts) return begin < end && start < end;
  const wide stop = *times.stop_ts;
  if (start == stop) return begin <= start && start < end;
  return begin < end && start < end && stop > begin;
}

std::string number(wide value) {
  return std::to_string(static_cast<std::uint64_t>(value));
}

fixtures::csv_record expected_row(const history_store& store, const history& in,
                                  const past_lobby& of, const time_span& span,
                                  std::int64_t snapshot_ts) {
  const auto& kind = of.kind;
  const auto& times = of.times;
  const wide until = std::min<wide>(times.stop_ts.value_or(snapshot_ts), span.end);
  const wide from = std::max<wide>(times.start_ts, span.begin);
  return {to_string(store.own(of.id)),
          to_string(store.own(kind.namespace_id)),
          in.namespace_names.at(kind.namespace_id.bytes[15]),
          kind.region_id,
          in.region_names.at(kind.region_id),
          kind.tier,
          to_string(kind.version_id),
          kind.version_name,
          kind.game_mode,
          model::format_timestamp(times.start_ts),
          times.stop_ts ? model::format_timestamp(*times.stop_ts) : "",
          times.stop_ts ? number(*times.stop_ts - times.start_ts) : "",
          number(std::max<wide>(0, until - from))};
}

std::vector<fixtures::csv_record> expected_rows(const history_store& store, const history& in,
                                                const time_span& span, std::int64_t snapshot_ts) {
  std::vector<past_lobby> alive;
  for (const auto& each : in.lobbies)
    if (each.kind.namespace_id != id_of(21) && is_alive(each.times, span)) alive.push_back(each);
  std::ranges::sort(alive, {}, [](const past_lobby& each) {
    return std::pair{each.times.start_ts, each.id};
  });
  std::vector<fixtures::csv_record> rows;
  for (const auto& each : alive)
    rows.push_back(expected_row(store, in, each, span, snapshot_ts));
  return rows;
}

TEST_CASE("property: an export has exactly the rows that the rules give, in their order",
          "[engines]") {
  history_store in;
  REQUIRE(rc::check([&] {
    const auto past = any_history();
    in.load(past);
    for (int i = 0; i < 8; ++i) {
      const auto span = any_span(past);
      const auto snapshot_ts = any_time(past.scale);
      const auto written = in.write(span, snapshot_ts);
      const auto expected = expected_rows(in, past, span, snapshot_ts);
      RC_ASSERT(written.rows() == expected);
      const auto is_running = [](const fixtures::csv_record& row) { return row.at(10).empty(); };
      RC_ASSERT(written.summary.has_running == std::ranges::any_of(expected, is_running));
    }
  }));
}

/// The export's statement about each lobby: its row without the last column, and the sum of that
/// column.
struct reported {
  fixtures::csv_record row;
  wide query_uptime = 0;

  friend bool operator==(const reported&, const reported&) = default;
};

/// Adds the rows of an export, which must contain each lobby at most once.
void add_rows(const written_history& written, std::map<std::string, reported>& into) {
  std::set<std::string> seen;
  for (auto row : written.rows()) {
    RC_ASSERT(seen.insert(row.at(0)).second);
    auto& known = into[row.at(0)];
    known.query_uptime += std::stoull(row.back());
    row.pop_back();
    if (!known.row.empty()) RC_ASSERT(known.row == row);
    known.row = row;
  }
}

TEST_CASE("property: the parts of a span have its lobbies, and their times add up to the whole's",
          "[engines]") {
  history_store in;
  REQUIRE(rc::check([&] {
    const auto past = any_history();
    in.load(past);
    auto span = any_span(past);
    // Running lobbies count up to the snapshot: for spans that end before it, every part is
    // complete.
    const auto snapshot_ts = any_time(past.scale);
    span.end = std::min(span.end, static_cast<std::uint64_t>(snapshot_ts));
    span.begin = std::min(span.begin, span.end);
    std::vector<std::uint64_t> cuts{span.begin, span.end};
    const auto parts = *rc::gen::inRange(0, 8);
    for (int i = 0; i < parts; ++i)
      cuts.push_back(std::clamp(any_end(past), span.begin, span.end));
    std::ranges::sort(cuts);

    std::map<std::string, reported> whole;
    add_rows(in.write(span, snapshot_ts), whole);
    std::map<std::string, reported> sum;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const auto part = in.write({cuts[i], cuts[i + 1]}, snapshot_ts);
      RC_ASSERT(part.rows() == expected_rows(in, past, {cuts[i], cuts[i + 1]}, snapshot_ts));
      add_rows(part, sum);
    }
    RC_ASSERT(sum == whole);
  }));
}

TEST_CASE("property: an export after more reports has what is known then", "[engines]") {
  history_store in;
  REQUIRE(rc::check([&] {
    auto past = any_history();
    in.load(past);
    for (auto& each : past.lobbies)
      if (*rc::gen::arbitrary<bool>()) each.times = model::merge(each.times, any_times(past.scale));
    in.report(past);
    const auto span = any_span(past);
    RC_ASSERT(in.write(span, 50).rows() == expected_rows(in, past, span, 50));
  }));
}

} // namespace
} // namespace matchcloud::store
