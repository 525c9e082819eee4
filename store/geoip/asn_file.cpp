#include "store/geoip/asn_file.hpp"

#include "store/geoip/asn_csv.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// The bytes at the beginning of a file that decide whether it is text.
constexpr std::size_t beginning_bytes = 512;

base::expected<std::vector<std::uint32_t>> read_asns(mmdb_record_reader& reader,
                                                     std::span<const std::uint32_t> offsets) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(offsets.size());
  for (const auto offset : offsets) {
    const auto number = reader.read_asn(offset);
    if (!number) return tl::unexpected(number.error());
    numbers.push_back(number->value_or(0));
  }
  return numbers;
}

/// Whether a file can be CSV: it is no database, and begins with text.
bool is_csv(const sealed_file& file) {
  constexpr std::uint8_t space = 0x20;
  const auto beginning = file.bytes().first(std::min(file.bytes().size(), beginning_bytes));
  return !has_mmdb_metadata(file) && std::ranges::all_of(beginning, [](std::uint8_t byte) {
    return byte >= space || byte == '\n' || byte == '\r' || byte == '\t';
  });
}

base::expected<address_table> read_csv(std::span<const std::uint8_t> text) {
  asn_csv csv;
  const auto read = csv.read({reinterpret_cast<const char*>(text.data()), text.size()});
  if (!read) return tl::unexpected(read.error());
  return csv.finish();
}

} // namespace

base::expected<std::shared_ptr<const asn_file>>
asn_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const base::error& why) {
    return base::fail(base::errc::geoip_invalid, path + ": " + why.detail);
  };
  const auto copy = sealed_file::copy(path, corrupted_by);
  if (!copy) return refuse(copy.error());
  auto file = std::make_shared<asn_file>();
  file->path_ = path;
  if (is_csv(*copy)) {
    auto read = read_csv(copy->bytes());
    if (!read) return refuse(read.error());
    file->table_ = *std::move(read);
    return file;
  }
  const wanted_records wanted{
      "the number of an autonomous system; use a database of autonomous systems, such as GeoLite2 "
      "ASN (databases of places belong into geoip)",
      read_asns};
  auto read = read_mmdb(*copy, wanted);
  if (!read) return refuse(read.error());
  file->database_ = std::move(read->description);
  file->table_ = std::move(read->table);
  return file;
}

} // namespace matchcloud::store
