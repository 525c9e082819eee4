#include "store/geoip/packed_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace matchcloud::store {

namespace {

using namespace std::string_view_literals;

struct packing {
  std::string_view beginning;
  std::string_view name;
  std::string_view command;
};

constexpr std::array<packing, 5> packings{{{"\x1f\x8b"sv, "gzip", "gzip -d"},
                                           {"PK\x03\x04"sv, "zip", "unzip"},
                                           {"BZh"sv, "bzip2", "bzip2 -d"},
                                           {"\xfd\x37zXZ\0"sv, "xz", "xz -d"},
                                           {"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -d"}}};

/// The magic of a tar archive's first header (POSIX, "pax: ustar Interchange Format").
constexpr std::string_view tar_magic = "ustar";
constexpr std::size_t tar_magic_offset = 257;
constexpr std::size_t tar_header_bytes = 512;

bool is_tar(std::string_view beginning) noexcept {
  return beginning.size() >= tar_header_bytes &&
         beginning.substr(tar_magic_offset, tar_magic.size()) == tar_magic;
}

/// The first bytes of a gzip file's content; fewer if they are not all present.
std::string inflate_beginning(std::string_view gzip) {
  std::string out(tar_header_bytes, '\0');
  z_stream stream{};
  // 16: gzip's header is expected.
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

} // namespace

std::string describe_packing(std::span<const std::uint8_t> beginning) {
  const std::string_view bytes{reinterpret_cast<const char*>(beginning.data()), beginning.size()};
  if (is_tar(bytes)) return "a tar archive. Unpack it (tar -xf) and use the database in it";
  const auto found = std::ranges::find_if(
      packings, [&](const packing& each) { return bytes.starts_with(each.beginning); });
  if (found == packings.end()) return {};
  if (found == packings.begin() && is_tar(inflate_beginning(bytes)))
    return "a tar archive packed with gzip. Unpack it (tar -xzf) and use the database in it";
  return "packed with " + std::string{found->name} + ". Unpack it (" + std::string{found->command} +
         ") and use the database in it";
}

} // namespace matchcloud::store
