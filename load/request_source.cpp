#include "load/request_source.hpp"

#include <zlib.h>

#include <array>

namespace matchcloud::load {

std::optional<std::string> inflated(std::string_view packed, std::size_t limit_bytes) {
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (::inflateInit2(&stream, gzip_only) != Z_OK) return std::nullopt;
  // zlib does not write to its input, although `next_in` is not a pointer to const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 16 * 1024> block{};
  int result = Z_OK;
  while (result == Z_OK && text.size() <= limit_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  ::inflateEnd(&stream);
  return whole ? std::optional{std::move(text)} : std::nullopt;
}

std::vector<request_bytes> make_requests(const mix_part& part, const request_frame& frame,
                                         std::uint64_t seed) {
  std::mt19937_64 engine{seed};
  std::vector<request_bytes> made;
  made.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    std::string_view line;
    if (!part.lines.empty()) line = part.lines[i % part.lines.size()];
    const auto values = first_values(part, engine);
    // Cannot fail: values were checked when the mix file was read.
    made.push_back(make_request(part.steps.front().form, frame, {engine, line, values}).value());
  }
  return made;
}

std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix,
                                      const request_frame& frame) {
  std::vector<flow_walk::path> paths;
  std::size_t row = 0;
  for (const auto& part : mix) {
    if (part.is_flow()) paths.push_back({&part, &frame, row, paths.size()});
    row += part.steps.size();
  }
  return paths;
}

} // namespace matchcloud::load
