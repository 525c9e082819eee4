#include "model/uuid.hpp"

namespace matchcloud::model {

namespace {

constexpr std::size_t text_length = 36;

/// The places of the dashes in the textual form (RFC 9562 section 4).
constexpr bool is_dash_at(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

/// 0 to 15, or -1.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint64_t big_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value = value << 8 | bytes[i];
  return value;
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit,
/// so ids that only count upwards still spread over the buckets.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

std::optional<uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != text_length) return std::nullopt;
  uuid id;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text_length; ++i) {
    if (is_dash_at(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_digit(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = id.bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
  }
  return id;
}

std::string to_string(const uuid& id) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text;
  text.reserve(text_length);
  for (const auto byte : id.bytes) {
    if (is_dash_at(text.size())) text += '-';
    text += hex[byte >> 4];
    text += hex[byte & 15];
  }
  return text;
}

uuid random_uuid(std::array<std::uint8_t, 16> random) noexcept {
  random[6] = static_cast<std::uint8_t>((random[6] & 0x0FU) | 0x40U);
  random[8] = static_cast<std::uint8_t>((random[8] & 0x3FU) | 0x80U);
  return {random};
}

} // namespace matchcloud::model

std::size_t
std::hash<matchcloud::model::uuid>::operator()(const matchcloud::model::uuid& id) const noexcept {
  using namespace matchcloud::model;
  // The odd constant keeps ids whose halves are equal from cancelling out.
  const auto high = mix(big_endian(id.bytes.data()) + 0x9e3779b97f4a7c15);
  return static_cast<std::size_t>(mix(high ^ big_endian(id.bytes.data() + 8)));
}
