#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// An IPv4 or IPv6 address. IPv4 is stored IPv4-mapped (`::ffff:a.b.c.d`, RFC 4291 section
/// 2.5.5.2), so that a client has one address in sockets of either family.
struct ip_address {
  std::array<std::uint8_t, 16> bytes{};

  /// An IPv4 address from its four bytes in network order.
  static ip_address from_v4(std::span<const std::uint8_t, 4> octets) noexcept;

  bool is_v4() const noexcept;
  bool is_loopback() const noexcept;
  /// Whether it is `0.0.0.0` or `::`.
  bool is_unspecified() const noexcept;

  friend auto operator<=>(const ip_address&, const ip_address&) = default;
};

/// Reads dotted-decimal IPv4 (no octal, no short forms) or RFC 4291 IPv6 (no zone, no brackets).
std::optional<ip_address> parse_ip_address(std::string_view text) noexcept;

/// IPv4 in dotted form, IPv6 in the form of RFC 5952.
std::string to_string(const ip_address& address);

/// An IPv4 address unchanged; an IPv6 address with all but the first `length` bits (0 to 128) zero.
ip_address prefix_of(const ip_address& address, std::size_t length) noexcept;

/// The bits before an IPv4 address in its 128-bit form.
inline constexpr int mapped_prefix_bits = 96;

/// A block of addresses.
struct cidr {
  ip_address network;
  /// 0 to 128, in the 128-bit form: an IPv4 `/8` is 104.
  int prefix_length = 128;

  bool contains(const ip_address& address) const noexcept;
};

/// Reads `10.0.0.0/8`, `fd00::/8` or a single address. Bits beyond the prefix must be zero.
std::optional<cidr> parse_cidr(std::string_view text) noexcept;

} // namespace matchcloud::model
