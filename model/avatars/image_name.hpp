#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

enum class image_type : std::uint8_t { png, jpeg };

/// `image/png` or `image/jpeg`.
std::string_view media_type(image_type type) noexcept;
/// With its dot: `.png` or `.jpg`.
std::string_view extension(image_type type) noexcept;

/// The name of an image, derived from its bytes: equal names always mean equal bytes.
struct image_name {
  /// The first 16 bytes of the SHA-256 of the image's bytes.
  std::array<std::uint8_t, 16> digest{};
  image_type type = image_type::png;

  friend bool operator==(const image_name&, const image_name&) = default;
};

/// Reads 32 lower-case hexadecimal digits with `.png` or `.jpg`. Other spellings are refused, so
/// that an image has exactly one name.
std::optional<image_name> parse_image_name(std::string_view text) noexcept;

/// The text that `parse_image_name` reads.
std::string to_string(const image_name& name);

/// The digest alone, as 32 lower-case hexadecimal digits.
std::string digest_text(const image_name& name);

} // namespace matchcloud::model
