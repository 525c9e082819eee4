#include "store/geoip/asn_file.hpp"

#include "store/files/stable_file.hpp"
#include "store/geoip/asn_csv.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;

/// The bytes at the beginning of a file that decide whether it is text.
constexpr std::size_t beginning_bytes = 512;

std::string_view text_of(std::span<const std::uint8_t> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

base::expected<record_numbers> read_asns(std::span<const std::uint8_t> section,
                                         offset_set offsets) {
  mmdb_record_reader reader{section};
  return read_records<std::uint32_t>(offsets,
                                     [&](std::uint32_t offset) { return reader.read_asn(offset); })
      .map([&](std::vector<std::uint32_t>&& numbers) {
        return record_numbers{std::move(offsets), std::move(numbers)};
      });
}

/// Whether a file can be CSV: it is no database, and begins with text.
bool is_csv(const stable_file& file) {
  std::vector<std::uint8_t> beginning(
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), beginning_bytes)));
  if (has_mmdb_metadata(file) || !file.read(0, beginning)) return false;
  constexpr std::uint8_t space = 0x20;
  return std::ranges::all_of(beginning, [](std::uint8_t byte) {
    return byte >= space || byte == '\n' || byte == '\r' || byte == '\t';
  });
}

base::expected<address_table> read_csv(const stable_file& file) {
  asn_csv csv;
  std::vector<std::uint8_t> chunk(chunk_bytes);
  for (std::uint64_t at = 0; at < file.size_bytes(); at += chunk.size()) {
    chunk.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, file.size_bytes() - at)));
    if (auto got = file.read(at, chunk); !got) return tl::unexpected(std::move(got).error());
    if (auto done = csv.read(text_of(chunk)); !done) return tl::unexpected(std::move(done).error());
  }
  return csv.finish();
}

} // namespace

base::expected<std::shared_ptr<const asn_file>>
asn_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const base::error& why) {
    return base::fail(base::errc::geoip_invalid, path + ": " + why.detail);
  };
  const auto bytes = stable_file::open(path, mmdb_limit_bytes, corrupted_by);
  if (!bytes) return refuse(bytes.error());
  auto file = std::make_shared<asn_file>();
  file->path_ = path;
  if (is_csv(*bytes)) {
    auto read = read_csv(*bytes);
    if (const auto same = bytes->check_unchanged(); !same) return refuse(same.error());
    if (!read) return refuse(read.error());
    file->table_ = *std::move(read);
    return file;
  }
  const wanted_records wanted{
      "the number of an autonomous system; use a database of autonomous systems, such as GeoLite2 "
      "ASN (databases of places belong into geoip)",
      read_asns};
  auto read = read_mmdb(*bytes, wanted);
  if (!read) return refuse(read.error());
  file->database_ = std::move(read->description);
  file->table_ = std::move(read->table);
  return file;
}

} // namespace matchcloud::store
