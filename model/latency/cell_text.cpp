#include "model/latency/cell_text.hpp"

#include "base/decimal.hpp"
#include "model/catalog/parse_coordinates.hpp"
#include "model/json/json_text.hpp"

#include <algorithm>
#include <span>

namespace matchcloud::model {

namespace {

constexpr std::uint64_t id_mask = (1ULL << latency_cell::kind_shift) - 1;

/// The first address of a network cell, from the id that `network_cell` makes of an address.
std::string network_text(std::uint64_t id) {
  ip_address address;
  const bool is_v4 =
      network_cell(ip_address::from_v4(std::array<std::uint8_t, 4>{})).key >> 24U ==
      (static_cast<std::uint64_t>(cell_kind::network) << latency_cell::kind_shift | id) >> 24U;
  if (is_v4) {
    const std::array<std::uint8_t, 4> octets{static_cast<std::uint8_t>(id >> 16U),
                                             static_cast<std::uint8_t>(id >> 8U),
                                             static_cast<std::uint8_t>(id), 0};
    return to_string(ip_address::from_v4(octets)) + "/24";
  }
  for (std::size_t i = 0; i < v6_network_bytes; ++i)
    address.bytes[i] = static_cast<std::uint8_t>(id >> 8U * (v6_network_bytes - 1 - i));
  return to_string(address) + "/48";
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
  case cell_kind::asn: return "AS" + std::to_string(id);
  case cell_kind::country: {
    constexpr auto capital = [](std::uint64_t letter) {
      return static_cast<char>(letter & 0xFFU & ~0x20U);
    };
    return {capital(id >> 8U), capital(id)};
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
  if (kind == name_of(cell_kind::asn)) {
    if (text.starts_with("AS")) text.remove_prefix(2);
    const auto number = base::parse_decimal<std::uint32_t>(text);
    return number ? std::optional{asn_cell(*number)} : std::nullopt;
  }
  return kind == name_of(cell_kind::country) ? country_cell(text) : std::nullopt;
}

} // namespace matchcloud::model
