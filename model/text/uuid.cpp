#include "model/text/uuid.hpp"

#include "base/characters.hpp"
#include "base/randomness.hpp"

namespace matchcloud::model {

namespace {

/// Whether the textual form has a dash at this position.
constexpr bool is_dash_at(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

/// The two hexadecimal digits of each byte.
constexpr auto hex_pairs = [] {
  constexpr std::string_view hex = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {hex[byte >> 4], hex[byte & 15]};
  return pairs;
}();

std::uint64_t big_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value = value << 8 | bytes[i];
  return value;
}

} // namespace

std::optional<uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != uuid_text_length) return std::nullopt;
  uuid id;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < uuid_text_length; ++i) {
    if (is_dash_at(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = base::hex_value(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = id.bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
  }
  return id;
}

std::string to_string(const uuid& id) {
  std::string text(uuid_text_length, '-');
  write_uuid(text.data(), id);
  return text;
}

uuid random_uuid(std::array<std::uint8_t, 16> random) noexcept {
  random[6] = static_cast<std::uint8_t>((random[6] & 0x0FU) | 0x40U);
  random[8] = static_cast<std::uint8_t>((random[8] & 0x3FU) | 0x80U);
  return {random};
}

char* write_uuid(char* to, const uuid& id) noexcept {
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
    const auto& digits = hex_pairs[id.bytes[i]];
    to[0] = digits[0];
    to[1] = digits[1];
    to += 2;
  }
  return to;
}

} // namespace matchcloud::model

std::size_t
std::hash<matchcloud::model::uuid>::operator()(const matchcloud::model::uuid& id) const noexcept {
  using namespace matchcloud::model;
  using matchcloud::base::mixed;
  // Sequential ids are spread over the buckets. The odd constant prevents ids with equal halves
  // from canceling out.
  const auto high = mixed(big_endian(id.bytes.data()) + 0x9e3779b97f4a7c15);
  return static_cast<std::size_t>(mixed(high ^ big_endian(id.bytes.data() + 8)));
}
