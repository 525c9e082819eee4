#include "model/lobbies/lobby.hpp"

#include "model/records/record_line.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

namespace matchcloud::model {

namespace {

std::string shown(const std::string& text) {
  return '"' + printable_excerpt(text) + '"';
}
std::string shown(const uuid& id) {
  return to_string(id);
}

} // namespace

lobby_times merge(const lobby_times& a, const lobby_times& b) noexcept {
  // An empty optional compares less than any stop.
  return {std::min(a.start_ts, b.start_ts), std::max(a.stop_ts, b.stop_ts)};
}

int duration_class(const lobby_times& times) noexcept {
  if (!times.stop_ts) return running_class;
  const auto lasted = std::max<std::int64_t>(1, *times.stop_ts - times.start_ts);
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(lasted))) - 1;
}

std::string difference(const lobby_attributes& found, const lobby_attributes& known) {
  std::string text;
  const auto compare = [&](std::string_view name, const auto& a, const auto& b) {
    if (!text.empty() || a == b) return;
    text.append(name).append(" ").append(shown(a)).append(" is not ").append(shown(b));
  };
  compare("namespace_id", found.namespace_id, known.namespace_id);
  compare("region_id", found.region_id, known.region_id);
  compare("tier", found.tier, known.tier);
  compare("version_id", found.version_id, known.version_id);
  compare("version_name", found.version_name, known.version_name);
  compare("game_mode", found.game_mode, known.game_mode);
  return text;
}

namespace {

enum lobby_member : std::size_t {
  lobby_id,
  namespace_id,
  region_id,
  tier,
  version_id,
  version_name,
  game_mode,
  start_ts,
  stop_ts,
  lobby_member_count
};

constexpr std::array<json_field, lobby_member_count> lobby_members{{{"lobby_id"},
                                                                    {"namespace_id"},
                                                                    {"region_id"},
                                                                    {"tier"},
                                                                    {"version_id"},
                                                                    {"version_name"},
                                                                    {"game_mode"},
                                                                    {"start_ts"},
                                                                    {"stop_ts", false}}};

using lobby_field_list = std::array<record_field, lobby_member_count>;

lobby_times read_times(record_values& values, const lobby_field_list& fields) {
  lobby_times times{values.time("start_ts", fields[start_ts]), std::nullopt};
  if (!fields[stop_ts].given()) return times;
  times.stop_ts = values.time("stop_ts", fields[stop_ts]);
  if (!values.finding() && *times.stop_ts < times.start_ts)
    values.refuse(line_errc::invalid, "stop_ts", fields[stop_ts],
                  format_timestamp(times.start_ts) + " (start_ts) or later");
  return times;
}

} // namespace

lobby_line_reader::lobby_line_reader(std::vector<std::string> ignored)
    : reader_{lobby_members, std::move(ignored)} {}

base::expected<void> lobby_line_reader::check_ignored(std::span<const std::string> names) {
  return model::check_ignored(lobby_members, names);
}

std::optional<line_finding> lobby_line_reader::read(const input_line& line, lobby& result) {
  lobby_field_list fields;
  if (auto finding = reader_.read(line, fields)) return finding;
  record_values values;
  result.lobby_id = values.id("lobby_id", fields[lobby_id]);
  result.attributes.namespace_id = values.id("namespace_id", fields[namespace_id]);
  result.attributes.region_id = values.identifier("region_id", fields[region_id]);
  result.attributes.tier = values.identifier("tier", fields[tier]);
  result.attributes.version_id = values.id("version_id", fields[version_id]);
  result.attributes.version_name = values.label("version_name", fields[version_name]);
  result.attributes.game_mode = values.label("game_mode", fields[game_mode]);
  result.times = read_times(values, fields);
  return values.finding();
}

} // namespace matchcloud::model

std::size_t std::hash<matchcloud::model::lobby_attributes>::operator()(
    const matchcloud::model::lobby_attributes& attributes) const noexcept {
  std::size_t sum = 0;
  const auto add = [&sum](std::size_t part) {
    sum = std::rotl(sum, 13) * 0x9e3779b97f4a7c15 + part;
  };
  add(std::hash<matchcloud::model::uuid>{}(attributes.namespace_id));
  add(std::hash<matchcloud::model::uuid>{}(attributes.version_id));
  for (const auto* text :
       {&attributes.region_id, &attributes.tier, &attributes.version_name, &attributes.game_mode})
    add(std::hash<std::string>{}(*text));
  return sum;
}
