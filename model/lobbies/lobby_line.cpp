#include "model/lobbies/lobby_line.hpp"

#include "model/records/record_values.hpp"
#include "model/text/timestamp.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace matchcloud::model {

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

constexpr std::array<record_member, lobby_member_count> lobby_members{{{"lobby_id"},
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
