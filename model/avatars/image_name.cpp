#include "model/avatars/image_name.hpp"

#include "base/hexadecimal.hpp"

namespace matchcloud::model {

namespace {

/// The value of a lower-case hexadecimal digit, 0 to 15; -1 for other characters.
constexpr int lower_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

} // namespace

std::string_view media_type(image_type type) noexcept {
  switch (type) {
  case image_type::png: return "image/png";
  case image_type::jpeg: return "image/jpeg";
  }
  return {};
}

std::string_view extension(image_type type) noexcept {
  switch (type) {
  case image_type::png: return ".png";
  case image_type::jpeg: return ".jpg";
  }
  return {};
}

std::optional<image_name> parse_image_name(std::string_view text) noexcept {
  image_name name;
  const auto digits = 2 * name.digest.size();
  if (text.size() < digits) return std::nullopt;
  for (std::size_t i = 0; i < digits; ++i) {
    const int value = lower_hex_digit(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = name.digest[i / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
  }
  for (const auto type : {image_type::png, image_type::jpeg}) {
    if (text.substr(digits) != extension(type)) continue;
    name.type = type;
    return name;
  }
  return std::nullopt;
}

std::string digest_text(const image_name& name) {
  std::string text;
  text.reserve(2 * name.digest.size() + 4); // leaves room for an extension
  base::append_hexadecimal(text, name.digest);
  return text;
}

std::string to_string(const image_name& name) {
  return digest_text(name).append(extension(name.type));
}

} // namespace matchcloud::model
