// Properties of exports over random histories, compared with a straightforward implementation of
// docs/interface.md ("Exports").
#include "tests/store/conformance/engines.hpp"
#include "tests/store/history_fixture.hpp"

#include <rapidcheck.h>

#include <array>
#include <limits>
#include <map>
#include <set>

namespace matchcloud::store {
namespace {

using model::time_span;
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

TEST_CASE("property: who asks again after more was reported gets what is known then", "[engines]") {
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
