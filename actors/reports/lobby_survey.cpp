#include "actors/reports/lobby_survey.hpp"

#include "base/decimal.hpp"
#include "model/catalog/catalog.hpp"
#include "model/json/json_writer.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace matchcloud::actors {

namespace {

using model::json_writer;

/// How many lobbies are read between two looks at the clock.
constexpr std::uint64_t lobbies_per_look = 4'096;

/// The columns of `model::csv_attribute_columns`.
constexpr std::array<std::string_view, 8> columns{"namespace_id", "namespace_name", "region_id",
                                                  "region_name",  "tier",           "version_id",
                                                  "version_name", "game_mode"};

std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t least,
                                         std::uint64_t most) {
  const auto number = base::parse_decimal<std::uint64_t>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// Splits a line of CSV without its end (RFC 4180).
std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// Counts lobbies in the buckets of a span.
class bucket_counts {
public:
  explicit bucket_counts(const lobby_history_query& of)
      : begin_{of.span.begin},
        bucket_ms_{std::max<std::uint64_t>(1, (of.span.end - of.span.begin + of.buckets - 1) /
                                                  of.buckets)},
        // Rounded up, buckets are fewer than wanted where the span is short.
        started_((of.span.end - of.span.begin + bucket_ms_ - 1) / bucket_ms_),
        // One more, for lobbies that outlive the span.
        changes_(started_.size() + 1) {}

  void add(const model::lobby_times& times, std::int64_t now_ts) {
    const auto start = static_cast<std::uint64_t>(std::max<std::int64_t>(0, times.start_ts));
    const auto stop = static_cast<std::uint64_t>(times.stop_ts.value_or(now_ts + 1));
    if (start >= begin_ && (start - begin_) / bucket_ms_ < started_.size())
      ++started_[(start - begin_) / bucket_ms_];
    // It runs at the beginnings of the buckets from the first one not before its start.
    ++changes_[first_begin_from(start)];
    --changes_[first_begin_from(std::max(start, stop))];
  }

  void write(json_writer& json) const {
    json.name("bucket_ms").number(bucket_ms_).name("started").array();
    for (const auto count : started_)
      json.number(count);
    json.end_array().name("running").array();
    std::int64_t running = 0;
    for (std::size_t i = 0; i < started_.size(); ++i)
      json.number(running += changes_[i]);
    json.end_array();
  }

private:
  std::size_t first_begin_from(std::uint64_t time) const noexcept {
    if (time <= begin_) return 0;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>((time - begin_ + bucket_ms_ - 1) / bucket_ms_, started_.size()));
  }

  std::uint64_t begin_;
  std::uint64_t bucket_ms_;
  std::vector<std::uint64_t> started_;
  /// By how much more lobbies run at a bucket's begin than at that of the one before.
  std::vector<std::int64_t> changes_;
};

/// Reads lobbies that were alive in a span, until there are no more, `take` wants no more or the
/// time is up.
class survey {
public:
  survey(const model::uuid& game_id, store::lobby_history& from, const survey_bounds& within)
      : game_id_{game_id},
        from_{from},
        within_{within},
        end_{within.clock->now() + within.patience} {}

  /// Whether the time was up before the end.
  template <class Take>
  base::expected<bool> read(const model::time_span& span, const Take& take) {
    bool is_late = false;
    std::uint64_t count = 0;
    store::history_reader reader;
    reader.begun = [&](const store::history_snapshot& snapshot) { taken_ts_ = snapshot.taken_ts; };
    reader.take = [&](const model::history_lobby& lobby) {
      if (++count % lobbies_per_look == 0) is_late = is_late || is_over();
      return !is_late && take(lobby);
    };
    reader.stop = [&] { return is_late = is_late || is_over(); };
    const auto done = from_.read({game_id_, span}, *within_.clock, reader);
    if (!done && !is_late) return tl::unexpected(done.error());
    return is_late;
  }

  /// When the store was read, in milliseconds since 1970.
  std::int64_t taken_ts() const noexcept { return taken_ts_; }

private:
  bool is_over() const {
    return within_.clock->now() >= end_ || (within_.is_unwanted && within_.is_unwanted());
  }

  const model::uuid& game_id_;
  store::lobby_history& from_;
  const survey_bounds& within_;
  base::steady_time end_;
  std::int64_t taken_ts_ = 0;
};

/// The instant of the clock: what is alive in it runs now.
model::time_span this_instant(const base::clock& clock) {
  const auto now = static_cast<std::uint64_t>(clock.unix_ms());
  return {now, now + 1};
}

base::expected<std::string> perform(const lobby_history_query& query, survey& of,
                                    const base::clock& clock) {
  bucket_counts counts{query};
  auto is_late = of.read(query.span, [&](const model::history_lobby& lobby) {
    counts.add(lobby.times, of.taken_ts());
    return true;
  });
  if (!is_late) return tl::unexpected(is_late.error());
  std::uint64_t running = 0;
  const auto also_late = of.read(this_instant(clock), [&](const model::history_lobby& lobby) {
    if (!lobby.times.stop_ts) ++running;
    return true;
  });
  if (!also_late) return tl::unexpected(also_late.error());
  json_writer json;
  json.object().name("start").number(query.span.begin).name("end").number(query.span.end);
  counts.write(json);
  json.name("running_now").number(running).name("is_partial").boolean(*is_late || *also_late);
  return json.end_object().take();
}

void write_lobby(json_writer& json, const model::history_lobby& lobby) {
  json.object().name("lobby_id").text(model::to_string(lobby.lobby_id));
  const auto fields = split_csv(*lobby.attribute_columns);
  for (std::size_t i = 0; i < std::min(columns.size(), fields.size()); ++i)
    json.name(columns[i]).text(fields[i]);
  json.name("start_ts").text(model::format_timestamp(lobby.times.start_ts)).end_object();
}

base::expected<std::string> perform(const running_lobbies_query& query, survey& of,
                                    const base::clock& clock) {
  json_writer json;
  json.object().name("lobbies").array();
  std::size_t listed = 0;
  bool has_more = false;
  const auto is_late = of.read(this_instant(clock), [&](const model::history_lobby& lobby) {
    if (lobby.times.stop_ts) return true;
    const auto age =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, of.taken_ts() - lobby.times.start_ts));
    // They come in the order of their starts: the others are younger.
    if (age <= query.longer_than_ms) return false;
    has_more = listed == query.limit;
    if (has_more) return false;
    ++listed;
    write_lobby(json, lobby);
    return true;
  });
  if (!is_late) return tl::unexpected(is_late.error());
  return json.end_array().name("more").boolean(has_more || *is_late).end_object().take();
}

} // namespace

base::expected<lobby_survey_query> read_history_query(std::string_view start, std::string_view end,
                                                      std::string_view buckets) {
  constexpr std::uint64_t latest = INT64_MAX;
  const auto from = read_number(start, 0, latest);
  const auto to = read_number(end, 0, latest);
  const auto count =
      buckets.empty() ? 100 : read_number(buckets, 1, lobby_history_query::buckets_limit);
  if (!from || !to || *from >= *to || !count)
    return base::fail(base::errc::query_invalid,
                      "The query needs start and end, in milliseconds since 1970, the start first; "
                      "buckets is 1 to " +
                          std::to_string(lobby_history_query::buckets_limit) + ".");
  return lobby_history_query{{*from, *to}, static_cast<std::size_t>(*count)};
}

base::expected<lobby_survey_query> read_running_query(std::string_view longer_than_ms,
                                                      std::string_view limit) {
  const auto age = longer_than_ms.empty() ? 0 : read_number(longer_than_ms, 0, INT64_MAX);
  const auto most =
      limit.empty() ? 100 : read_number(limit, 1, running_lobbies_query::lobbies_limit);
  if (!age || !most)
    return base::fail(base::errc::query_invalid,
                      "longer_than_ms is a number of milliseconds, limit is 1 to " +
                          std::to_string(running_lobbies_query::lobbies_limit) + ".");
  return running_lobbies_query{*age, static_cast<std::size_t>(*most)};
}

base::expected<std::string> survey_lobbies_of(const model::uuid& game_id,
                                              const lobby_survey_query& query, store::database& in,
                                              const survey_bounds& within) {
  const auto catalog = in.catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  if (catalog->find_game(game_id) == nullptr) return tl::unexpected(model::no_such_game(game_id));
  const auto history = in.history();
  if (!history) return tl::unexpected(history.error());
  survey of{game_id, **history, within};
  return std::visit([&](const auto& wanted) { return perform(wanted, of, *within.clock); }, query);
}

} // namespace matchcloud::actors
