#pragma once

#include "base/expected.hpp"

#include <array>
#include <cstddef>
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

/// The size limit of an image, in bytes.
inline constexpr std::size_t image_limit_bytes = 2'000'000;
/// The limit of width and height, in pixels.
inline constexpr std::uint32_t image_side_limit = 16'384;

/// An image at the beginning of a file.
struct found_image {
  image_type type = image_type::png;
  /// Up to the end of the image. What follows is not part of it.
  std::size_t size_bytes = 0;

  friend bool operator==(const found_image&, const found_image&) = default;
};

/// Finds the image with which `bytes` begin, by its content: a whole PNG (every chunk with its
/// checksum, from IHDR to IEND) or a whole JPEG (every segment, from SOI to EOI). Pixels are not
/// decoded. Phones and tools append data to images: a motion photo's film, an Ultra HDR photo's
/// gain map, zeros. Fails with `image_invalid` if the bytes begin with neither, are cut short, or
/// if the image itself exceeds `image_limit_bytes`. Looks at no more than that limit and one more
/// byte, so callers need not read more of a file. O(bytes).
base::expected<found_image> inspect_image(std::string_view bytes);

/// The name of an image that `inspect_image` accepted; `bytes` end with the image.
image_name name_image(std::string_view bytes, image_type type);

} // namespace matchcloud::model
