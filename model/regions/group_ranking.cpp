#include "model/regions/group_ranking.hpp"

#include "model/catalog/catalog.hpp"
#include "model/json/json_document.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/object_reader.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr round_trip_us us_per_ms = 1'000;

/// The sums of a region's figures.
struct column {
  std::int64_t sum_us = 0;
  round_trip_us worst_us = no_round_trip;
  round_trip_us best_us = std::numeric_limits<round_trip_us>::max();
  std::uint32_t region = 0;
  std::uint32_t players_with = 0;

  round_trip_us spread_us() const noexcept { return worst_us - best_us; }
};

bool is_known(std::span<const round_trip_us> row) noexcept {
  return std::ranges::any_of(row, [](auto figure) { return figure != no_round_trip; });
}

void add(std::span<const round_trip_us> row, std::span<column> to) noexcept {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == no_round_trip) continue;
    auto& of = to[i];
    of.sum_us += row[i];
    of.worst_us = std::max(of.worst_us, row[i]);
    of.best_us = std::min(of.best_us, row[i]);
    ++of.players_with;
  }
}

// Regions with figures of more players come first. For equal numbers, sums compare like means.
bool worst_first(const column& a, const column& b) noexcept {
  return std::tuple{b.players_with, a.worst_us, a.sum_us, a.region} <
         std::tuple{a.players_with, b.worst_us, b.sum_us, b.region};
}

bool mean_first(const column& a, const column& b) noexcept {
  return std::tuple{b.players_with, a.sum_us, a.worst_us, a.region} <
         std::tuple{a.players_with, b.sum_us, b.worst_us, b.region};
}

/// `all` is ordered by `worst_first`.
void put_fair_first(std::span<column> all, round_trip_us within_us) {
  for (auto begin = all.begin(); begin != all.end();) {
    const auto limit_us = std::int64_t{begin->worst_us} + within_us;
    const auto players_with = begin->players_with;
    const auto as_many = [&](const column& each) { return each.players_with == players_with; };
    const auto end = std::find_if_not(begin, all.end(), as_many);
    const auto within =
        std::find_if(begin, end, [&](const column& each) { return each.worst_us > limit_us; });
    if (players_with > 0)
      std::stable_sort(begin, within, [](const column& a, const column& b) {
        return a.spread_us() < b.spread_us();
      });
    begin = end;
  }
}

group_region summary_of(const column& of, std::uint32_t known_players) noexcept {
  group_region made{of.region, known_players - of.players_with};
  if (of.players_with == 0) return made;
  made.worst_us = of.worst_us;
  made.mean_us = static_cast<round_trip_us>((of.sum_us + of.players_with / 2) / of.players_with);
  return made;
}

} // namespace

round_trip_us to_round_trip_us(double ms) noexcept {
  return static_cast<round_trip_us>(std::lround(std::clamp(ms, 0.0, latency_limit_ms) * us_per_ms));
}

void append_round_trip_ms(std::string& out, round_trip_us value) {
  if (value == no_round_trip) {
    out += "null";
    return;
  }
  char text[16];
  char* at = std::to_chars(text, text + sizeof text, value / us_per_ms).ptr;
  if (auto rest = value % us_per_ms; rest != 0) {
    *at++ = '.';
    for (auto unit = us_per_ms / 10; rest != 0; rest %= unit, unit /= 10)
      *at++ = static_cast<char>('0' + rest / unit);
  }
  out.append(text, at);
}

group_ranking rank_for_group(std::span<const round_trip_us> figures_us, std::size_t players,
                             group_strategy strategy, round_trip_us fair_within_us) {
  const auto region_count = figures_us.size() / players;
  group_ranking ranked;
  std::vector<column> columns(region_count);
  for (std::uint32_t i = 0; i < region_count; ++i)
    columns[i].region = i;
  for (std::uint32_t i = 0; i < players; ++i) {
    const auto row = figures_us.subspan(i * region_count, region_count);
    if (is_known(row))
      add(row, columns);
    else
      ranked.unknown_players.push_back(i);
  }
  std::ranges::sort(columns, strategy == group_strategy::mean ? mean_first : worst_first);
  if (strategy == group_strategy::fair) put_fair_first(columns, fair_within_us);

  const auto known = static_cast<std::uint32_t>(players - ranked.unknown_players.size());
  ranked.regions.reserve(region_count);
  for (const auto& each : columns)
    ranked.regions.push_back(summary_of(each, known));
  return ranked;
}

namespace {

/// Enough for the body, the players, a player and its coordinates, and for values of wrong types.
constexpr std::size_t group_depth_limit = 8;
/// Once findings have this many bytes, further players are not checked.
constexpr std::size_t findings_limit_bytes = 1'024;

constexpr std::array<std::string_view, 3> body_members{"players", "strategy", "fair_within_ms"};
constexpr std::array<std::string_view, 4> player_members{"id", "address", "coordinates",
                                                         "latencies"};
constexpr std::array<std::string_view, 2> coordinate_members{"latitude", "longitude"};

class group_reader {
public:
  explicit group_reader(const json_document& document)
      : document_{&document}, body_{document, "The body", body_members} {}

  group_request read() {
    if (!body_.has("players")) body_.require("players", value_type::array);
    body_.member("players", [&](const json_node& node) { return read_players(node); });
    unless_null(body_, "strategy", [&](const json_node& node) { return read_strategy(node); });
    unless_null(body_, "fair_within_ms", [&](const json_node& node) {
      const auto ms = body_.number("fair_within_ms", node, 0, latency_limit_ms);
      made_.fair_within_ms = ms.value_or(made_.fair_within_ms);
      return ms;
    });
    body_.name_unknown();
    return std::move(made_);
  }

  const std::string& findings() const noexcept { return body_.findings(); }

private:
  /// Applies `read` to a member unless that is null.
  template <class Read>
  static void unless_null(object_reader& of, std::string_view name, Read read) {
    of.member(name, [&](const json_node& node) -> decltype(read(node)) {
      if (node.kind == json_kind::null) return {};
      return read(node);
    });
  }

  std::optional<bool> read_players(const json_node& node) {
    if (node.kind != json_kind::array || node.count == 0 || node.count > group_limit) {
      const bool is_array = node.kind == json_kind::array;
      body_.add(fmt::format(
          R"(`players` must be an array of 1 to {} players{}. A player is an object such as )"
          R"({{"address": "81.2.69.142"}}.)",
          group_limit, is_array ? fmt::format(", but has {}", node.count) : ""));
      return std::nullopt;
    }
    made_.players.reserve(node.count);
    std::size_t number = 0;
    for (auto at = document_->index_of(node) + 1; at < node.next; at = document_->node(at).next) {
      const auto path = fmt::format("players[{}]", number++);
      made_.players.push_back(read_player(document_->node(at), path));
      if (body_.findings().size() < findings_limit_bytes || number == node.count) continue;
      body_.add("Players after " + in_backticks(path) + " were not checked.");
      return std::nullopt;
    }
    return true;
  }

  group_player read_player(const json_node& node, const std::string& path) {
    group_player player;
    if (node.kind != json_kind::object) {
      body_.add(in_backticks(path) + R"( must be an object such as {"address": "81.2.69.142"}.)");
      return player;
    }
    object_reader reader{*document_, node, path, player_members};
    unless_null(reader, "id", [&](const json_node& id) {
      player.id = read_id(reader, id);
      return player.id;
    });
    unless_null(reader, "address", [&](const json_node& address) {
      player.address = read_address(reader, address);
      return player.address;
    });
    unless_null(reader, "coordinates", [&](const json_node& at) {
      player.where = read_coordinates(reader, at, path + ".coordinates");
      return player.where;
    });
    unless_null(reader, "latencies", [&](const json_node& latencies) -> std::optional<bool> {
      std::string wrong;
      player.latencies = read_latencies(*document_, latencies, reader.subject("latencies"), wrong);
      if (!wrong.empty()) reader.add(wrong);
      return true;
    });
    reader.name_unknown();
    if (!reader.findings().empty()) body_.add(reader.findings());
    return player;
  }

  static std::optional<std::string> read_id(object_reader& reader, const json_node& node) {
    const auto text = reader.text(node);
    if (node.kind == json_kind::string && text.size() <= player_id_limit_bytes)
      return std::string{text};
    const bool is_long = node.kind == json_kind::string;
    reader.add(
        fmt::format("{} must be a string of at most {} bytes{}. Shorten it, or leave it out.",
                    reader.subject("id"), player_id_limit_bytes,
                    is_long ? fmt::format(", but has {}", text.size()) : ""));
    return std::nullopt;
  }

  static std::optional<ip_address> read_address(object_reader& reader, const json_node& node) {
    const bool is_text = node.kind == json_kind::string;
    const auto address = is_text ? parse_ip_address(reader.text(node)) : std::nullopt;
    if (!address)
      reader.add(fmt::format(
          "{} must be an IPv4 or IPv6 address{}. Write it without a port, such as `81.2.69.142` or "
          "`2001:db8::1`.",
          reader.subject("address"),
          is_text ? fmt::format(", but is {}", quoted_excerpt(reader.text(node))) : ""));
    return address;
  }

  std::optional<coordinates> read_coordinates(object_reader& player, const json_node& node,
                                              const std::string& path) const {
    if (node.kind != json_kind::object) {
      player.add(in_backticks(path) +
                 R"( must be an object such as {"latitude": 51.5, "longitude": -0.1}.)");
      return std::nullopt;
    }
    object_reader reader{*document_, node, path, coordinate_members};
    const auto degrees = [&](std::string_view name, double limit) {
      if (!reader.has(name))
        reader.add(reader.subject(name) + " is required, but is absent. Add a number of degrees.");
      return reader.member(name, [&](const json_node& number) {
        return reader.number(name, number, -limit, limit);
      });
    };
    const auto latitude = degrees("latitude", 90);
    const auto longitude = degrees("longitude", 180);
    reader.name_unknown();
    if (latitude && longitude && reader.findings().empty())
      return coordinates{*latitude, *longitude};
    player.add(reader.findings());
    return std::nullopt;
  }

  std::optional<bool> read_strategy(const json_node& node) {
    const auto name = node.kind == json_kind::string ? body_.text(node) : std::string_view{};
    const auto* const found = std::ranges::find(group_strategy_names, name);
    if (found != group_strategy_names.end()) {
      made_.strategy = static_cast<group_strategy>(found - group_strategy_names.begin());
      return true;
    }
    std::string message = "`strategy` must be a string.";
    if (node.kind == json_kind::string)
      message = "`strategy` cannot be " + quoted_excerpt(name) + ".";
    append_suggestion(message, closest_name(name, group_strategy_names));
    append_known_names(message, "Allowed: ", group_strategy_names, group_strategy_names.size());
    body_.add(message);
    return std::nullopt;
  }

  const json_document* document_;
  object_reader body_;
  group_request made_;
};

} // namespace

base::expected<group_request> read_group_request(std::string_view body) {
  const auto document = json_document::parse_object(body, group_depth_limit);
  if (!document) return tl::unexpected(document.error());
  group_reader reader{*document};
  auto made = reader.read();
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  return made;
}

} // namespace matchcloud::model
