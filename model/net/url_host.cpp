#include "model/net/url_host.hpp"

#include "base/characters.hpp"
#include "model/net/host_name.hpp"

#include <algorithm>
#include <limits>

namespace matchcloud::model {

namespace {

constexpr std::size_t v4_bytes = 4;

constexpr base::character_set decimal_digits{base::is_digit};

tl::unexpected<std::string_view> malformed(std::string_view why) noexcept {
  return tl::unexpected(why);
}

bool is_hexadecimal(std::string_view text) noexcept {
  return text.starts_with("0x") || text.starts_with("0X");
}

/// A part of an IPv4 address: decimal, octal after `0`, or hexadecimal after `0x`. A value beyond
/// 32 bits is returned as some number beyond 32 bits.
std::optional<std::uint64_t> parse_v4_part(std::string_view text) noexcept {
  constexpr std::uint64_t beyond = std::uint64_t{1} << 32;
  if (text.empty()) return std::nullopt;
  int base = 10;
  if (is_hexadecimal(text)) {
    base = 16;
    text.remove_prefix(2); // no digits after the prefix mean 0
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = base::hex_value(c);
    if (digit < 0 || digit >= base) return std::nullopt;
    value = std::min(value * static_cast<unsigned>(base) + static_cast<unsigned>(digit), beyond);
  }
  return value;
}

std::string_view last_label(std::string_view name) noexcept {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// Whether the last label of a name is a number; such a name must be an IPv4 address.
bool ends_in_number(std::string_view name) noexcept {
  const auto last = last_label(name);
  if (last.empty()) return false;
  return decimal_digits.contains_all(last) || (is_hexadecimal(last) && parse_v4_part(last));
}

/// Parses an IPv4 address in one to four parts; the last part fills all remaining bytes.
std::optional<ip_address> parse_v4_parts(std::string_view text) noexcept {
  std::array<std::uint8_t, v4_bytes> octets{};
  for (std::size_t i = 0; i < v4_bytes; ++i) {
    const auto dot = text.find('.');
    auto part = parse_v4_part(text.substr(0, dot));
    if (!part) return std::nullopt;
    if (dot != std::string_view::npos) {
      if (*part > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
      octets[i] = static_cast<std::uint8_t>(*part);
      text.remove_prefix(dot + 1);
      continue;
    }
    for (std::size_t j = v4_bytes; j-- > i; *part >>= 8)
      octets[j] = static_cast<std::uint8_t>(*part & 0xFF);
    if (*part != 0) return std::nullopt;
    return ip_address::from_v4(octets);
  }
  return std::nullopt;
}

} // namespace

tl::expected<url_host, std::string_view> parse_url_host(std::string_view text) noexcept {
  if (text.starts_with('[')) {
    const bool closed = text.size() > 1 && text.back() == ']';
    const auto inside = text.substr(1, closed ? text.size() - 2 : 0);
    const bool is_v6 = inside.find(':') != std::string_view::npos;
    const auto address = is_v6 ? parse_ip_address(inside) : std::nullopt;
    if (!address) return malformed("which is not an IPv6 address in brackets");
    return url_host{address, {}};
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  if (!ends_in_number(text)) {
    const auto defect = host_name_defect(text);
    return defect.empty() ? tl::expected<url_host, std::string_view>{url_host{{}, text}}
                          : malformed(defect);
  }
  const auto address = parse_v4_parts(text);
  if (!address) return malformed("which ends in a number but is not an IPv4 address");
  return url_host{address, {}};
}

} // namespace matchcloud::model
