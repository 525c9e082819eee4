#include "store/files/gzip.hpp"

#include "store/files/data_directory.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr int gzip_format = 16; // added to the window's size (zlib.h)
constexpr int window_bits = 15;
constexpr int memory_level = 8; // a higher level was slower

base::failure compression_failure(std::string why) {
  return {base::errc::store_failed, std::move(why)};
}

struct ender {
  void operator()(z_stream* stream) const noexcept {
    deflateEnd(stream);
    std::default_delete<z_stream>{}(stream);
  }
};

std::unique_ptr<z_stream, ender> begin() {
  auto stream = std::make_unique<z_stream>();
  if (deflateInit2(stream.get(), gzip_level, Z_DEFLATED, window_bits + gzip_format, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return nullptr;
  return std::unique_ptr<z_stream, ender>{stream.release()};
}

/// Fills `into` from `offset` on. Returns the number of bytes read, which is smaller than `into`
/// only at the end of the file.
std::size_t fill(const base::open_file& from, std::span<char> into, std::uint64_t offset) {
  const auto wanted = std::min<std::uint64_t>(into.size(), from.size_bytes() - offset);
  std::size_t filled = 0;
  while (filled < wanted) {
    const auto got = from.read(into.subspan(filled, wanted - filled), offset + filled);
    if (got < 0) throw file_failure("an export", "read the file");
    if (got == 0)
      throw compression_failure("the export's file became shorter while it was compressed");
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

} // namespace

void gzip(const base::open_file& from, const gzip_output& to) {
  const auto stream = begin();
  if (!stream) throw compression_failure("zlib cannot begin: out of memory");
  std::vector<char> in(gzip_buffer_bytes);
  std::vector<char> out(gzip_buffer_bytes);
  std::uint64_t offset = 0;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    if (to.stop && to.stop()) throw base::failure{base::errc::cancelled, "no longer wanted"};
    if (stream->avail_in == 0) {
      const auto filled = fill(from, in, offset);
      offset += filled;
      stream->next_in = reinterpret_cast<Bytef*>(in.data());
      stream->avail_in = static_cast<uInt>(filled);
    }
    stream->next_out = reinterpret_cast<Bytef*>(out.data());
    stream->avail_out = static_cast<uInt>(out.size());
    result = deflate(stream.get(), offset == from.size_bytes() ? Z_FINISH : Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END)
      throw compression_failure("zlib: " + std::to_string(result));
    to.write({out.data(), out.size() - stream->avail_out});
  }
}

} // namespace matchcloud::store
