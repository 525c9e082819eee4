#include "model/net/embedded_address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace matchcloud::model {

namespace {

constexpr std::array<std::uint8_t, 2> six_to_four_prefix{0x20, 0x02};
constexpr std::array<std::uint8_t, 4> teredo_prefix{0x20, 0x01, 0, 0};
constexpr std::array<std::uint8_t, 12> nat64_prefix{0x00, 0x64, 0xFF, 0x9B};

template <std::size_t Size>
bool starts_with(const ip_address& address, const std::array<std::uint8_t, Size>& prefix) noexcept {
  return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
}

/// Inverts all bits. Teredo stores them inverted to protect them from NATs that rewrite anything
/// that looks like their address.
ip_address turned_over(std::span<const std::uint8_t, 4> octets) noexcept {
  std::array<std::uint8_t, 4> plain{};
  std::transform(octets.begin(), octets.end(), plain.begin(),
                 [](auto octet) { return static_cast<std::uint8_t>(~octet); });
  return ip_address::from_v4(plain);
}

} // namespace

std::optional<embedded_address> find_embedded_v4(const ip_address& address) noexcept {
  const std::span bytes{address.bytes};
  if (starts_with(address, six_to_four_prefix))
    return embedded_address{embedding::six_to_four, ip_address::from_v4(bytes.subspan<2, 4>())};
  if (starts_with(address, teredo_prefix))
    return embedded_address{embedding::teredo, turned_over(bytes.last<4>())};
  if (starts_with(address, nat64_prefix))
    return embedded_address{embedding::nat64, ip_address::from_v4(bytes.last<4>())};
  return std::nullopt;
}

} // namespace matchcloud::model
