#pragma once

#include "base/expected.hpp"
#include "model/avatars/image_name.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// The size limit of an image, in bytes.
inline constexpr std::size_t image_limit_bytes = 2'000'000;
/// The limit of width and height, in pixels.
inline constexpr std::uint32_t image_side_limit = 16'384;

/// Determines the type of an image from its content: a whole PNG (every chunk with its checksum,
/// from IHDR to IEND) or a whole JPEG (every segment, from SOI to EOI). Pixels are not decoded.
/// Fails with `image_invalid` if the bytes are neither, are cut short, continue after the image's
/// end, or exceed `image_limit_bytes`. O(bytes).
base::expected<image_type> inspect_image(std::string_view bytes);

/// The name of an image that `inspect_image` accepted.
image_name name_image(std::string_view bytes, image_type type);

} // namespace matchcloud::model
