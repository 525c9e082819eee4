#include "model/net/ip_address.hpp"

#include "base/check.hpp"
#include "base/decimal.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace matchcloud::model {

namespace {

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// Whether all bits of `bytes` from bit `first` on are zero.
bool zero_from(const std::array<std::uint8_t, 16>& bytes, int first) noexcept {
  for (int bit = first; bit < 128; ++bit)
    if ((bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0) return false;
  return true;
}

} // namespace

ip_address ip_address::from_v4(std::span<const std::uint8_t, 4> octets) noexcept {
  ip_address address;
  const auto tail = std::copy(mapped_prefix.begin(), mapped_prefix.end(), address.bytes.begin());
  std::copy(octets.begin(), octets.end(), tail);
  return address;
}

bool ip_address::is_v4() const noexcept {
  return std::memcmp(bytes.data(), mapped_prefix.data(), mapped_prefix.size()) == 0;
}

bool ip_address::is_unspecified() const noexcept {
  constexpr std::array<std::uint8_t, 4> zeros{};
  return *this == ip_address{} || *this == from_v4(zeros);
}

bool ip_address::is_loopback() const noexcept {
  if (is_v4()) return bytes[12] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](auto b) { return !b; });
}

std::optional<ip_address> parse_ip_address(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN> ended;
  if (text.size() >= ended.size() || text.find('\0') != text.npos) return std::nullopt;
  ended[text.copy(ended.data(), text.size())] = '\0';
  if (text.find(':') != text.npos) {
    ip_address address;
    if (::inet_pton(AF_INET6, ended.data(), address.bytes.data()) != 1) return std::nullopt;
    return address;
  }
  std::array<std::uint8_t, 4> octets;
  if (::inet_pton(AF_INET, ended.data(), octets.data()) != 1) return std::nullopt;
  return ip_address::from_v4(octets);
}

std::string to_string(const ip_address& address) {
  std::array<char, INET6_ADDRSTRLEN> text;
  const auto* const last = address.bytes.data() + mapped_prefix.size();
  if (address.is_v4()) return ::inet_ntop(AF_INET, last, text.data(), text.size());
  std::string shown = ::inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size());
  if (shown.find('.') == std::string::npos) return shown;
  // inet_ntop writes ::/96 as IPv4 addresses, which RFC 5952 section 5 reserves for known prefixes.
  std::snprintf(text.data(), text.size(), "::%x:%x", last[0] << 8U | last[1],
                last[2] << 8U | last[3]);
  return text.data();
}

bool cidr::contains(const ip_address& address) const noexcept {
  base::check(prefix_length >= 0 && prefix_length <= 128, "a prefix has 0 to 128 bits");
  const auto whole_bytes = static_cast<std::size_t>(prefix_length / 8);
  if (std::memcmp(network.bytes.data(), address.bytes.data(), whole_bytes) != 0) return false;
  const int rest_bits = prefix_length % 8;
  if (rest_bits == 0) return true;
  return (network.bytes[whole_bytes] ^ address.bytes[whole_bytes]) >> (8 - rest_bits) == 0;
}

std::optional<cidr> parse_cidr(std::string_view text) noexcept {
  const auto slash = text.find('/');
  const auto written = text.substr(0, slash);
  const auto network = parse_ip_address(written);
  if (!network) return std::nullopt;
  if (slash == std::string_view::npos) return cidr{*network, 128};

  const bool dotted = written.find(':') == std::string_view::npos;
  const auto digits = text.substr(slash + 1);
  const auto length = base::parse_decimal<int>(digits);
  // Some programs read a leading zero as octal.
  if (!length || *length < 0 || *length > (dotted ? 32 : 128) || std::to_string(*length) != digits)
    return std::nullopt;
  const cidr block{*network, dotted ? *length + mapped_prefix_bits : *length};
  if (!zero_from(block.network.bytes, block.prefix_length)) return std::nullopt;
  return block;
}

ip_address prefix_of(const ip_address& address, std::size_t length) noexcept {
  auto prefix = address;
  if (address.is_v4()) return prefix;
  for (std::size_t i = 0; i < prefix.bytes.size(); ++i) {
    const auto kept = std::clamp<std::size_t>(length > i * 8 ? length - i * 8 : 0, 0, 8);
    prefix.bytes[i] &= static_cast<std::uint8_t>(0xFF00U >> kept);
  }
  return prefix;
}

} // namespace matchcloud::model
