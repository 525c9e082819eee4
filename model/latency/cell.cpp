#include "model/latency/cell.hpp"

#include "model/catalog/catalog.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <span>

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

namespace {

constexpr std::uint64_t id_mask = (1ULL << latency_cell::kind_shift) - 1;

/// The first address of a network cell, from the id that `network_cell` makes of an address.
std::string network_text(std::uint64_t id) {
  ip_address address;
  const auto write = [id](std::span<std::uint8_t> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(id >> 8U * (bytes.size() - 1 - i));
  };
  if (id >> 48U == 0) {
    write(std::span{address.bytes}.first(v6_network_bytes));
    return to_string(address) + "/48";
  }
  std::array<std::uint8_t, 4> octets{};
  write(std::span{octets}.first(3));
  return to_string(ip_address::from_v4(octets)) + "/24";
}

} // namespace

std::string_view name_of(cell_kind which) noexcept {
  return cell_kind_names[static_cast<std::size_t>(which) - 1];
}

std::string to_string(latency_cell cell) {
  const auto id = cell.key & id_mask;
  switch (cell.kind()) {
  case cell_kind::network: return network_text(id);
  case cell_kind::place: {
    const auto middle = middle_of(cell);
    std::string text;
    append_shortest(text, middle.latitude);
    text += ',';
    append_shortest(text, middle.longitude);
    return text;
  }
  }
  return {};
}

std::optional<latency_cell> parse_latency_cell(std::string_view kind, std::string_view text) {
  if (kind == name_of(cell_kind::network)) {
    const auto address = parse_ip_address(text.substr(0, text.find('/')));
    if (!address) return std::nullopt;
    const auto cell = network_cell(*address);
    if (text.find('/') != text.npos && !to_string(cell).ends_with(text.substr(text.find('/'))))
      return std::nullopt;
    return cell;
  }
  if (kind == name_of(cell_kind::place)) {
    const auto comma = text.find(',');
    if (comma == text.npos) return std::nullopt;
    const auto where = parse_coordinates(text.substr(0, comma), text.substr(comma + 1));
    return where ? std::optional{place_cell(*where)} : std::nullopt;
  }
  return std::nullopt;
}

} // namespace matchcloud::model
