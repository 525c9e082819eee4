#pragma once

#include "tests/fixtures/json.hpp"
#include "tests/service/server.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// Players in London for whom Frankfurt is faster than London. 127.0.0.1 must be a trusted proxy of
/// the server, and its GeoIP file that of `world`.
inline constexpr std::string_view london_latencies =
    R"({"latencies":{"fra":9,"lon":20,"nrt":230}})";

/// The header by which a proxy names a player of a network (an IPv6 /48) in London.
inline std::string player_in(int network, int player = 1) {
  return "X-Forwarded-For: 2001:db8:" + std::to_string(network) + "::" + std::to_string(player) +
         "\r\n";
}

inline answer report(const server& to, const std::string& player,
                     std::string_view latencies = london_latencies) {
  raw_connection client{to.data()};
  return client.ask(request("POST", "/matchmaker/latencies", latencies,
                            "Content-Type: application/json\r\n" + player));
}

inline answer list(const server& to, const std::string& player, const std::string& query = {}) {
  raw_connection client{to.data()};
  return client.ask(request("GET", regions_target + query, {}, player));
}

/// What a server predicts for a region.
struct predicted {
  double ms = 0;
  std::string source;
  int reports = 0;

  friend bool operator==(const predicted&, const predicted&) = default;
};

/// Nothing if nothing is predicted.
inline std::optional<predicted> predict(const server& at, const std::string& player,
                                        std::string_view region_id) {
  const auto listed = parse_json(list(at, player, "?fields=latency").body);
  if (!listed.IsObject() || !listed.HasMember("regions")) return std::nullopt;
  for (const auto& region : listed["regions"].GetArray())
    if (text_at(region, "region_id") == region_id && region["latency"].IsObject())
      return predicted{region["latency"]["ms"].GetDouble(), text_at(region["latency"], "source"),
                       region["latency"]["reports"].GetInt()};
  return std::nullopt;
}

/// Whether at least `reports` are known of a place, by a player whose network has none. Each event
/// loop hears of them by itself, so sixteen connections ask: one of two loops is missed in one of
/// 32,768 cases.
inline bool knows(const server& at, int reports, std::string_view region_id = "fra") {
  for (int asked = 0; asked < 16; ++asked) {
    const auto made = predict(at, player_in(9'999), region_id);
    if (!made || made->source != "place" || made->reports < reports) return false;
  }
  return true;
}

} // namespace matchcloud::e2e
