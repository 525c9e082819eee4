#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The signature before a PNG's first chunk (PNG, third edition, section 5.2).
inline constexpr std::string_view png_start{"\x89PNG\r\n\x1a\n"};

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U),
          static_cast<char>(value >> 8U), static_cast<char>(value)};
}

/// A PNG chunk: length, type, content and checksum (PNG, third edition, section 5.3).
inline std::string png_chunk(std::string_view type, std::string_view content) {
  const auto checked = std::string{type}.append(content);
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + checked +
         big_endian(static_cast<std::uint32_t>(sum));
}

} // namespace matchcloud::model
