#include "actors/reports/lobby_survey.hpp"

#include "actors/reports/lobby_counts.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "model/catalog/catalog.hpp"
#include "model/json/record.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "model/records/csv_line.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace matchcloud::actors {

namespace {

using base::value_of;
using model::json_writer;

/// How many lobbies are read between two checks of the clock.
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

std::vector<std::string> split_attributes(std::string line) {
  std::vector<std::string_view> fields;
  if (model::split_csv_line(line, fields)) return {};
  return {fields.begin(), fields.end()};
}

/// Whether lobbies match a filter, and the versions and modes that can be chosen.
class lobby_choice {
public:
  explicit lobby_choice(const lobby_filter& of) : of_{of} {}

  bool has(const std::string& attribute_columns) {
    if (const auto found = known_.find(attribute_columns); found != known_.end())
      return found->second;
    if (known_.size() >= known_limit) known_.clear();
    const auto fields = split_attributes(attribute_columns);
    if (fields.size() == columns.size()) {
      note(versions_, fields[5], fields[6]);
      note(modes_, fields[7], {});
    }
    return known_[attribute_columns] = fits(fields);
  }

  /// Writes the choices among all lobbies seen, including those that do not match.
  void write_choices(json_writer& json) const {
    json.name("versions").array();
    for (const auto& [id, name] : versions_)
      json.object().name("version_id").text(id).name("version_name").text(name).end_object();
    json.end_array().name("game_modes").array();
    for (const auto& [mode, none] : modes_)
      json.text(mode);
    json.end_array();
  }

private:
  /// How many attributes are remembered: about 20 MB.
  static constexpr std::size_t known_limit = 65'536;
  using met = std::map<std::string, std::string>;

  static void note(met& in, const std::string& id, const std::string& name) {
    if (in.size() < lobby_history_query::choices_limit) in.emplace(id, name);
  }

  bool fits(const std::vector<std::string>& fields) const {
    const auto is = [&](std::string_view column, const std::string& wanted) {
      const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                               columns.begin());
      return wanted.empty() || (at < fields.size() && fields[at] == wanted);
    };
    return is("region_id", of_.region_id) && is("tier", of_.tier) &&
           is("version_id", of_.version_id) && is("game_mode", of_.game_mode);
  }

  const lobby_filter& of_;
  met versions_;
  met modes_;
  /// By the columns of their attributes, which many lobbies share.
  std::unordered_map<std::string, bool> known_;
};

/// Reads lobbies that were alive in a span, until there are no more, `take` returns false or the
/// time is up.
class survey {
public:
  survey(const model::uuid& game_id, store::lobby_history& from, const survey_bounds& within)
      : game_id_{game_id},
        from_{from},
        within_{within},
        end_{within.clock->now() + within.patience} {}

  /// Whether the time was up before the end. Throws `base::failure`.
  template <class Take>
  bool read(const model::time_span& span, const Take& take) {
    bool is_late = false;
    std::uint64_t count = 0;
    store::history_reader reader;
    reader.begun = [&](const store::history_snapshot& snapshot) { snapshot_ = snapshot; };
    reader.take = [&](const model::history_lobby& lobby) {
      if (++count % lobbies_per_look == 0) is_late = is_late || is_over();
      return !is_late && take(lobby);
    };
    reader.stop = [&] { return is_late = is_late || is_over(); };
    auto done = from_.read({game_id_, span}, *within_.clock, reader);
    if (!is_late) value_of(std::move(done));
    return is_late;
  }

  std::optional<store::found_lobby> find(const model::uuid& lobby_id) {
    return value_of(from_.find_lobby(game_id_, lobby_id));
  }

  /// The last state of the store that was read.
  const store::history_snapshot& snapshot() const noexcept { return snapshot_; }

private:
  bool is_over() const {
    return within_.clock->now() >= end_ || (within_.is_unwanted && within_.is_unwanted());
  }

  const model::uuid& game_id_;
  store::lobby_history& from_;
  const survey_bounds& within_;
  base::steady_time end_;
  store::history_snapshot snapshot_;
};

/// The clock's current instant: what is alive in it runs now.
model::time_span this_instant(const base::clock& clock) {
  const auto now = static_cast<std::uint64_t>(clock.unix_ms());
  return {now, now + 1};
}

/// What a survey counted in a span.
struct lobby_counts {
  explicit lobby_counts(const lobby_history_query& of)
      : buckets{of.span, of.buckets}, peak{of.span} {}

  bucket_counts buckets;
  peak_count peak;
  /// The time from which lobbies may be missing.
  std::optional<std::uint64_t> partial_from = {};
  /// The start of the game's complete history, if any of it has expired.
  std::optional<std::int64_t> complete_from = {};
};

void write_counts(json_writer& json, const lobby_counts& counts) {
  using model::write;
  json.name("bucket_ms").number(counts.buckets.bucket_ms());
  write(json.name("started"), counts.buckets.started());
  write(json.name("running"), counts.buckets.running());
  json.name("peak");
  if (counts.peak.running() == 0)
    json.null();
  else
    json.object()
        .name("running")
        .number(counts.peak.running())
        .name("at")
        .number(counts.peak.at())
        .end_object();
  write(json.name("partial_from"), counts.partial_from);
  write(json.name("complete_from"), counts.complete_from);
}

lobby_counts count(const lobby_history_query& query, survey& of, lobby_choice& choice) {
  lobby_counts counts{query};
  auto last_start = query.span.begin;
  bool is_full = false;
  const auto is_late = of.read(query.span, [&](const model::history_lobby& lobby) {
    const auto time = time_of(lobby.times, of.snapshot().taken_ts);
    last_start = std::max(last_start, time.begin);
    if (!choice.has(*lobby.attribute_columns)) return true;
    is_full = !counts.peak.add(time);
    if (!is_full) counts.buckets.add(time);
    return !is_full;
  });
  if (is_late || is_full) counts.partial_from = last_start;
  if (const auto from = of.snapshot().complete_from_ts; from > 0) counts.complete_from = from;
  return counts;
}

std::string perform(const lobby_history_query& query, survey& of, const base::clock& clock) {
  lobby_choice choice{query.of};
  const auto counts = count(query, of, choice);
  std::uint64_t running = 0;
  const auto is_late = of.read(this_instant(clock), [&](const model::history_lobby& lobby) {
    if (!lobby.times.stop_ts && choice.has(*lobby.attribute_columns)) ++running;
    return true;
  });
  json_writer json;
  json.object().name("start").number(query.span.begin).name("end").number(query.span.end);
  write_counts(json, counts);
  choice.write_choices(json);
  json.name("running_now").number(running).name("is_partial");
  json.boolean(counts.partial_from || is_late);
  return json.end_object().take();
}

/// Writes the members that running and stopped lobbies have in common.
void write_lobby(json_writer& json, const model::uuid& lobby_id,
                 const std::string& attribute_columns, std::int64_t start_ts) {
  json.name("lobby_id").text(model::to_string(lobby_id));
  const auto fields = split_attributes(attribute_columns);
  for (std::size_t i = 0; i < std::min(columns.size(), fields.size()); ++i)
    json.name(columns[i]).text(fields[i]);
  json.name("start_ts").text(model::format_timestamp(start_ts));
}

std::string perform(const running_lobbies_query& query, survey& of, const base::clock& clock) {
  lobby_choice choice{query.of};
  json_writer json;
  json.object().name("lobbies").array();
  std::size_t listed = 0;
  bool has_more = false;
  const auto is_late = of.read(this_instant(clock), [&](const model::history_lobby& lobby) {
    if (lobby.times.stop_ts) return true;
    const auto now_ts = of.snapshot().taken_ts;
    const auto age =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ts - lobby.times.start_ts));
    // Lobbies are read in the order of their starts, so the rest are younger.
    if (age <= query.longer_than_ms) return false;
    if (!choice.has(*lobby.attribute_columns)) return true;
    has_more = listed == query.limit;
    if (has_more) return false;
    ++listed;
    json.object();
    write_lobby(json, lobby.lobby_id, *lobby.attribute_columns, lobby.times.start_ts);
    json.end_object();
    return true;
  });
  return json.end_array().name("more").boolean(has_more || is_late).end_object().take();
}

std::string perform(const one_lobby_query& query, survey& of, const base::clock& clock) {
  const auto found = of.find(query.lobby_id);
  if (!found)
    throw base::failure{base::errc::lobby_unknown,
                        "The game has no lobby {}. Check the id and the game.",
                        model::to_string(query.lobby_id)};
  const auto& [times, attribute_columns] = *found;
  json_writer json;
  json.object();
  write_lobby(json, query.lobby_id, attribute_columns, times.start_ts);
  model::write(json.name("stop_ts"), model::format_timestamp(times.stop_ts));
  const auto until_ts = times.stop_ts.value_or(clock.unix_ms());
  json.name("total_uptime_ms").number(std::max<std::int64_t>(0, until_ts - times.start_ts));
  return json.end_object().take();
}

} // namespace

base::expected<lobby_filter> read_lobby_filter(std::string region_id, std::string tier,
                                               std::string_view version_id, std::string game_mode) {
  lobby_filter of{std::move(region_id), std::move(tier), {}, std::move(game_mode)};
  if (version_id.empty()) return of;
  const auto version = model::parse_uuid(version_id);
  if (!version)
    return base::fail(base::errc::query_invalid,
                      "version must be the id of a game version: 32 hexadecimal digits with "
                      "dashes.");
  of.version_id = model::to_string(*version);
  return of;
}

base::expected<lobby_survey_query> read_history_query(std::string_view start, std::string_view end,
                                                      std::string_view buckets, lobby_filter of) {
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
  return lobby_history_query{{*from, *to}, static_cast<std::size_t>(*count), std::move(of)};
}

base::expected<lobby_survey_query> read_running_query(std::string_view longer_than_ms,
                                                      std::string_view limit, lobby_filter of) {
  const auto age = longer_than_ms.empty() ? 0 : read_number(longer_than_ms, 0, INT64_MAX);
  const auto most =
      limit.empty() ? 100 : read_number(limit, 1, running_lobbies_query::lobbies_limit);
  if (!age || !most)
    return base::fail(base::errc::query_invalid,
                      "longer_than_ms is a number of milliseconds, limit is 1 to " +
                          std::to_string(running_lobbies_query::lobbies_limit) + ".");
  return running_lobbies_query{*age, static_cast<std::size_t>(*most), std::move(of)};
}

base::expected<std::string> survey_lobbies_of(const model::uuid& game_id,
                                              const lobby_survey_query& query, store::database& in,
                                              const survey_bounds& within) {
  return base::attempt([&] {
    if (value_of(value_of(in.catalog())->load()).find_game(game_id) == nullptr)
      throw base::failure{model::no_such_game(game_id)};
    const auto history = value_of(in.history());
    survey of{game_id, *history, within};
    return std::visit([&](const auto& wanted) { return perform(wanted, of, *within.clock); },
                      query);
  });
}

} // namespace matchcloud::actors
