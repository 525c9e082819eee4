#include "model/net/ip_address.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace matchcloud::model {

namespace {

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int mapped_prefix_bits = 96;
constexpr std::size_t octet_digits_limit = 3;
constexpr std::size_t group_digits_limit = 4;
constexpr std::size_t prefix_digits_limit = 3;

using v4_octets = std::array<std::uint8_t, 4>;

/// Takes a decimal number without leading zeros off the front of `text`.
std::optional<int> take_decimal(std::string_view& text, std::size_t digits_limit,
                                int limit) noexcept {
  std::size_t digits = 0;
  int value = 0;
  while (digits < text.size() && base::is_digit(text[digits])) {
    if (digits == digits_limit) return std::nullopt;
    value = value * 10 + (text[digits++] - '0');
  }
  // A leading zero means octal to some readers.
  if (digits == 0 || (digits > 1 && text.front() == '0') || value > limit) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::optional<v4_octets> parse_v4(std::string_view text) noexcept {
  v4_octets octets{};
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto octet = take_decimal(text, octet_digits_limit, 255);
    if (!octet) return std::nullopt;
    octets[i] = static_cast<std::uint8_t>(*octet);
  }
  if (!text.empty()) return std::nullopt;
  return octets;
}

/// Collects the groups of an IPv6 address and where `::` stood among them.
class group_collector {
public:
  bool add_gap() noexcept {
    if (gap_) return false;
    gap_ = filled_;
    return true;
  }

  bool add(std::span<const std::uint8_t> part) noexcept {
    if (filled_ + part.size() > bytes_.size()) return false;
    std::copy(part.begin(), part.end(), bytes_.begin() + filled_);
    filled_ += static_cast<std::ptrdiff_t>(part.size());
    return true;
  }

  std::optional<ip_address> finish() noexcept {
    const bool full = filled_ == static_cast<std::ptrdiff_t>(bytes_.size());
    // `::` stands for at least one group.
    if (full == gap_.has_value()) return std::nullopt;
    if (gap_) {
      const auto moved =
          std::move_backward(bytes_.begin() + *gap_, bytes_.begin() + filled_, bytes_.end());
      std::fill(bytes_.begin() + *gap_, moved, std::uint8_t{0});
    }
    return ip_address{bytes_};
  }

private:
  std::array<std::uint8_t, 16> bytes_{};
  std::ptrdiff_t filled_ = 0;
  std::optional<std::ptrdiff_t> gap_;
};

/// Takes one to four hexadecimal digits off the front of `text`; the count of digits tells success.
std::size_t take_group(std::string_view& text, std::array<std::uint8_t, 2>& group) noexcept {
  unsigned value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < group_digits_limit && base::hex_value(text[digits]) >= 0)
    value = value * 16 + static_cast<unsigned>(base::hex_value(text[digits++]));
  group = {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value & 0xff)};
  text.remove_prefix(digits);
  return digits;
}

std::optional<ip_address> parse_v6(std::string_view text) noexcept {
  group_collector groups;
  if (text.starts_with("::")) {
    groups.add_gap();
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const auto before = text;
    std::array<std::uint8_t, 2> group{};
    if (take_group(text, group) == 0) return std::nullopt;
    if (text.starts_with('.')) {
      const auto tail = parse_v4(before);
      if (!tail || !groups.add(*tail)) return std::nullopt;
      break;
    }
    if (!groups.add(group)) return std::nullopt;
    if (text.empty()) break;
    if (!text.starts_with(':') || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
    if (!text.starts_with(':')) continue;
    if (!groups.add_gap()) return std::nullopt;
    text.remove_prefix(1);
  }
  return groups.finish();
}

std::string v4_to_string(std::span<const std::uint8_t, 4> octets) {
  std::string text;
  for (const auto octet : octets) {
    if (!text.empty()) text += '.';
    text += std::to_string(octet);
  }
  return text;
}

struct zero_run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

/// The longest run of zero groups, the first of equals (RFC 5952 section 4.2.3).
zero_run longest_zero_run(const std::array<unsigned, 8>& groups) noexcept {
  zero_run best;
  zero_run current;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    current = groups[i] != 0 ? zero_run{i + 1, 0} : zero_run{current.begin, current.length + 1};
    if (current.length > best.length) best = current;
  }
  // A single zero group is written out (RFC 5952 section 4.2.2).
  return best.length > 1 ? best : zero_run{};
}

void append_hex(std::string& text, unsigned value) {
  std::array<char, group_digits_limit> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  text.append(digits.data(), end);
}

std::string v6_to_string(const std::array<std::uint8_t, 16>& bytes) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i] = (unsigned{bytes[2 * i]} << 8) | bytes[2 * i + 1];
  const auto zeros = longest_zero_run(groups);
  std::string text;
  for (std::size_t i = 0; i < groups.size();) {
    if (zeros.length > 0 && i == zeros.begin) {
      text += "::";
      i += zeros.length;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    append_hex(text, groups[i++]);
  }
  return text;
}

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
  if (text.empty()) return std::nullopt;
  if (text.find(':') != std::string_view::npos) return parse_v6(text);
  const auto octets = parse_v4(text);
  if (!octets) return std::nullopt;
  return ip_address::from_v4(*octets);
}

std::string to_string(const ip_address& address) {
  if (!address.is_v4()) return v6_to_string(address.bytes);
  return v4_to_string(std::span<const std::uint8_t, 16>{address.bytes}.last<4>());
}

bool cidr::contains(const ip_address& address) const noexcept {
  assert(prefix_length >= 0 && prefix_length <= 128);
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
  auto digits = text.substr(slash + 1);
  const auto length = take_decimal(digits, prefix_digits_limit, dotted ? 32 : 128);
  if (!length || !digits.empty()) return std::nullopt;
  const cidr block{*network, dotted ? *length + mapped_prefix_bits : *length};
  if (!zero_from(block.network.bytes, block.prefix_length)) return std::nullopt;
  return block;
}

} // namespace matchcloud::model
