#pragma once

#include "base/expected.hpp"
#include "model/avatars/image_name.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::model {

/// The largest image that is taken, in bytes.
inline constexpr std::size_t image_limit_bytes = 2'000'000;
/// The largest width and height, in pixels.
inline constexpr std::uint32_t image_side_limit = 16'384;

/// What an image is by its content: a whole PNG (every chunk with its checksum, from IHDR to IEND)
/// or a whole JPEG (every segment, from SOI to EOI). Pixels are not decoded. Fails with
/// `image_invalid` where the bytes are neither, are cut short, go on after the image's end, or
/// are more than `image_limit_bytes`. O(bytes).
base::expected<image_type> inspect_image(std::string_view bytes);

/// The name of an image that `inspect_image` took.
image_name name_image(std::string_view bytes, image_type type);

} // namespace matchcloud::model
