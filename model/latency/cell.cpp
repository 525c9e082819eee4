#include "model/latency/cell.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::model {

namespace {

constexpr std::uint64_t rows = 720;
constexpr std::uint64_t columns = 1'440;
constexpr std::size_t v4_octets = 3;
/// Keeps IPv4 networks apart from IPv6 ones.
constexpr std::uint64_t v4_mark = 1ULL << 48U;

constexpr latency_cell cell_of(cell_kind kind, std::uint64_t id) noexcept {
  return {static_cast<std::uint64_t>(kind) << latency_cell::kind_shift | id};
}

std::uint64_t number_of(std::span<const std::uint8_t> octets) noexcept {
  std::uint64_t number = 0;
  for (const auto octet : octets)
    number = number << 8U | octet;
  return number;
}

/// The step of a grid of `count` steps that a value from `lowest` on is in.
std::uint64_t step_of(double value, double lowest, std::uint64_t count) noexcept {
  const auto step = std::floor((value - lowest) / place_side_degrees);
  return static_cast<std::uint64_t>(std::clamp(step, 0.0, static_cast<double>(count - 1)));
}

} // namespace

latency_cell network_cell(const ip_address& address) noexcept {
  const std::span bytes{address.bytes};
  if (address.is_v4())
    return cell_of(cell_kind::network, v4_mark | number_of(bytes.subspan(12, v4_octets)));
  return cell_of(cell_kind::network, number_of(bytes.first(v6_network_bytes)));
}

latency_cell place_cell(const coordinates& where) noexcept {
  // 180 degrees east is 180 degrees west.
  const double longitude = where.longitude >= 180 ? where.longitude - 360 : where.longitude;
  return cell_of(cell_kind::place,
                 step_of(where.latitude, -90, rows) * columns + step_of(longitude, -180, columns));
}

coordinates middle_of(latency_cell place) noexcept {
  const auto id = place.key & ((1ULL << latency_cell::kind_shift) - 1);
  const auto row = id / columns;
  const auto column = id % columns;
  return {(static_cast<double>(row) + 0.5) * place_side_degrees - 90,
          (static_cast<double>(column) + 0.5) * place_side_degrees - 180};
}

} // namespace matchcloud::model
