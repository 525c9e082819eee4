#pragma once

#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// What a cell groups clients by, from narrow to wide.
enum class cell_kind : std::uint8_t { network = 1, place };

/// A group of clients that latencies are learned for. Two cells are equal only if their kinds and
/// the values that they group by are.
struct latency_cell {
  /// The kind is in the upper 8 bits; 0 means no cell.
  std::uint64_t key = 0;

  cell_kind kind() const noexcept { return static_cast<cell_kind>(key >> kind_shift); }

  static constexpr int kind_shift = 56;
  friend auto operator<=>(const latency_cell&, const latency_cell&) = default;
};

/// The side of a place cell in degrees: about 28 km along a meridian, a metropolitan area.
inline constexpr double place_side_degrees = 0.25;

/// The bytes of an IPv6 address that a network cell has.
inline constexpr std::size_t v6_network_bytes = 6;

/// The network that the address is in: an IPv4 /24 or an IPv6 /48.
latency_cell network_cell(const ip_address& address) noexcept;
/// The square of the coordinate grid that the point is in.
latency_cell place_cell(const coordinates& where) noexcept;

/// The middle of a place cell's square.
coordinates middle_of(latency_cell place) noexcept;

/// Where a client is. Everything that is not known is absent.
struct client_cells {
  std::optional<latency_cell> network;
  /// Also determines the place cell.
  std::optional<coordinates> where;
};

/// The names of kinds, by their numbers from 1.
inline constexpr std::array<std::string_view, 2> cell_kind_names{"network", "place"};
/// Kinds that files of earlier versions have.
inline constexpr std::array<std::string_view, 2> former_kind_names{"asn", "country"};

std::string_view name_of(cell_kind which) noexcept;

/// What a cell groups by, as people read it: `81.2.69.0/24`, `2001:db8::/48`, `51.625,-0.125` (the
/// middle of a place).
std::string to_string(latency_cell cell);

/// Reads such a text and its kind: `network` and `81.2.69.0/24` or any address of the network,
/// `place` and `51.5,-0.12`. Nothing for other texts.
std::optional<latency_cell> parse_latency_cell(std::string_view kind, std::string_view text);

} // namespace matchcloud::model
