#include "model/latency/cell_text.hpp"

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
