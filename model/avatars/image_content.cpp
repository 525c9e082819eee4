#include "model/avatars/image_content.hpp"

#include "base/crypto/sha256.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <zlib.h>

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

namespace {

using namespace std::string_view_literals;

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view jpeg_signature = "\xff\xd8\xff"sv;

[[noreturn]] void refuse_image(std::string detail) {
  throw base::failure{base::errc::image_invalid, std::move(detail)};
}

std::uint8_t byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::uint8_t>(bytes[at]);
}

std::uint32_t read_16(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::uint32_t>(byte_at(bytes, at) << 8U | byte_at(bytes, at + 1));
}

std::uint32_t read_32(std::string_view bytes, std::size_t at) noexcept {
  return read_16(bytes, at) << 16U | read_16(bytes, at + 2);
}

void check_sides(std::uint32_t width, std::uint32_t height) {
  if (width > 0 && height > 0 && width <= image_side_limit && height <= image_side_limit) return;
  refuse_image(fmt::format("the image is {} x {} pixels; each side must have 1 to {}", width,
                           height, image_side_limit));
}

/// For an image that continues after `rest`, which becomes empty.
[[noreturn]] void cut_short(std::string_view& rest, std::string detail) {
  rest = {};
  refuse_image(std::move(detail));
}

// -- PNG (W3C PNG specification, sections 5 and 11) ----------------------------

/// Length, type and checksum of a chunk.
constexpr std::size_t chunk_frame_bytes = 12;
constexpr std::size_t ihdr_bytes = 13;

/// A PNG chunk without its frame.
struct png_chunk {
  std::string_view type;
  std::string_view content;
};

png_chunk take_chunk(std::string_view& rest) {
  if (rest.size() < chunk_frame_bytes || rest.size() - chunk_frame_bytes < read_32(rest, 0))
    cut_short(rest, "the PNG is cut short: it has no IEND chunk");
  const std::size_t length = read_32(rest, 0);
  const auto checked = rest.substr(4, 4 + length);
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  if (sum != read_32(rest, 8 + length))
    refuse_image("the PNG is damaged: a chunk does not match its checksum");
  rest.remove_prefix(chunk_frame_bytes + length);
  return png_chunk{checked.substr(0, 4), checked.substr(4)};
}

/// Removes a whole PNG from the beginning of `rest`.
void take_png(std::string_view& rest) {
  rest.remove_prefix(png_signature.size());
  const auto [type, header] = take_chunk(rest);
  if (type != "IHDR" || header.size() != ihdr_bytes)
    refuse_image("the PNG does not begin with an IHDR chunk");
  check_sides(read_32(header, 0), read_32(header, 4));
  bool has_pixels = false;
  while (true) {
    const auto chunk = take_chunk(rest);
    if (chunk.type == "IDAT") has_pixels = true;
    if (chunk.type == "IEND") break;
  }
  if (!has_pixels) refuse_image("the PNG has no IDAT chunk, so it has no pixels");
}

// -- JPEG (ITU-T T.81, annex B) -------------------------------------------------

constexpr std::uint8_t marker_soi = 0xD8;
constexpr std::uint8_t marker_eoi = 0xD9;
constexpr std::uint8_t marker_sos = 0xDA;

/// Whether it is a start of frame: any of C0 to CF except DHT, JPG and DAC.
constexpr bool is_frame(std::uint8_t marker) noexcept {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}
/// Whether a marker has no segment: TEM and the restart markers.
constexpr bool stands_alone(std::uint8_t marker) noexcept {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7);
}

[[noreturn]] void jpeg_cut_short(std::string_view& rest) {
  cut_short(rest, "the JPEG is cut short: it has no end marker");
}

/// Removes the next marker and the fill bytes before it from `rest`; returns the marker.
std::uint8_t take_marker(std::string_view& rest) {
  if (rest.size() < 2) jpeg_cut_short(rest);
  if (byte_at(rest, 0) != 0xFF) refuse_image("the JPEG is damaged: a marker is missing");
  const auto code = std::min(rest.find_first_not_of('\xff'), rest.size());
  if (code == rest.size()) jpeg_cut_short(rest);
  const auto marker = byte_at(rest, code);
  rest.remove_prefix(code + 1);
  return marker;
}

std::string_view take_segment(std::string_view& rest) {
  if (rest.size() < 2 || read_16(rest, 0) < 2 || rest.size() < read_16(rest, 0))
    jpeg_cut_short(rest);
  const auto segment = rest.substr(2, read_16(rest, 0) - 2);
  rest.remove_prefix(read_16(rest, 0));
  return segment;
}

/// Skips the coded data after a scan's header, up to the next marker that is not part of it.
void skip_pixels(std::string_view& rest) {
  std::size_t at = 0;
  while ((at = rest.find('\xff', at)) != std::string_view::npos && at + 1 < rest.size()) {
    const auto next = byte_at(rest, at + 1);
    if (next != 0 && !(next >= 0xD0 && next <= 0xD7)) return rest.remove_prefix(at);
    at += 2;
  }
  rest = {};
}

void check_frame(std::string_view segment) {
  if (segment.size() < 5) refuse_image("the JPEG is damaged: its frame header is too short");
  check_sides(read_16(segment, 3), read_16(segment, 1));
}

/// Removes a whole JPEG from the beginning of `rest`. A thumbnail with an EOI of its own lies
/// within a segment and does not end it.
void take_jpeg(std::string_view& rest) {
  rest.remove_prefix(2); // SOI
  bool has_frame = false;
  bool has_pixels = false;
  while (true) {
    const auto marker = take_marker(rest);
    if (marker == marker_eoi) break;
    if (marker == marker_soi || marker == 0)
      refuse_image("the JPEG is damaged: a marker is out of place");
    if (stands_alone(marker)) continue;
    const auto segment = take_segment(rest);
    if (is_frame(marker)) {
      check_frame(segment);
      has_frame = true;
    }
    if (marker == marker_sos) {
      has_pixels = has_frame;
      skip_pixels(rest);
    }
  }
  if (!has_pixels) refuse_image("the JPEG has no pixels: a frame and a scan are missing");
}

} // namespace

base::expected<found_image> inspect_image(std::string_view bytes) {
  auto rest = bytes.substr(0, image_limit_bytes);
  const auto looked_at = rest.size();
  const bool is_png = bytes.starts_with(png_signature);
  auto found = base::attempt([&] {
    if (!is_png && !bytes.starts_with(jpeg_signature))
      refuse_image("the file's content is neither a PNG nor a JPEG image");
    is_png ? take_png(rest) : take_jpeg(rest);
    return found_image{is_png ? image_type::png : image_type::jpeg, looked_at - rest.size()};
  });
  if (!found && rest.empty() && bytes.size() > looked_at)
    return base::fail(
        base::errc::image_invalid,
        fmt::format("the image has more than the allowed {} bytes", image_limit_bytes));
  return found;
}

image_name name_image(std::string_view bytes, image_type type) {
  image_name name;
  const auto digest = base::sha256(bytes);
  std::copy_n(digest.begin(), name.digest.size(), name.digest.begin());
  name.type = type;
  return name;
}

} // namespace matchcloud::model
