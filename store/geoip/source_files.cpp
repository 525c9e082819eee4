#include "store/geoip/source_files.hpp"

#include "store/geoip/asn_csv.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace matchcloud::store {

namespace {

/// The bytes at the beginning of a file that decide whether it is text.
constexpr std::size_t beginning_bytes = 512;

/// Whether a file can be CSV: it is no database, and begins with text.
bool is_csv(const sealed_file& file) {
  constexpr std::uint8_t space = 0x20;
  const auto beginning = file.bytes().first(std::min(file.bytes().size(), beginning_bytes));
  return !has_mmdb_metadata(file) && std::ranges::all_of(beginning, [](std::uint8_t byte) {
    return byte >= space || byte == '\n' || byte == '\r' || byte == '\t';
  });
}

address_table read_csv(std::span<const std::uint8_t> text) {
  asn_csv csv;
  csv.read({reinterpret_cast<const char*>(text.data()), text.size()});
  return csv.finish();
}

/// Has `read` make a `File` of a copy of the file at `path`, which failures name.
template <class File, class Read>
base::expected<std::shared_ptr<const File>>
open_copy(const std::string& path, std::optional<std::uint64_t> corrupted_by, Read read) {
  auto made = base::attempt([&] {
    auto file = std::make_shared<File>();
    read(base::value_of(sealed_file::copy(path, corrupted_by)), *file);
    return std::shared_ptr<const File>{std::move(file)};
  });
  if (!made) return base::fail(base::errc::geoip_invalid, path + ": " + made.error().detail);
  return made;
}

} // namespace

base::expected<std::shared_ptr<const mmdb_file>>
mmdb_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  return open_copy<mmdb_file>(path, corrupted_by, [&](const sealed_file& copy, mmdb_file& into) {
    auto& places = into.places_;
    // Many records differ only in what is not needed here, such as the name of a district.
    std::map<std::tuple<double, double, std::uint8_t, bool>, std::uint32_t> known;
    into.path_ = path;
    into.contents_ = read_mmdb(
        copy, {"coordinates or a known country; use a database of cities or countries (autonomous "
               "systems belong into geoip-asn)",
               [&](mmdb_record_reader& reader, std::uint32_t offset) -> std::uint32_t {
                 const auto place = reader.read_place(offset);
                 if (!place) return 0;
                 const auto [at, is_new] =
                     known.try_emplace({place->at.latitude, place->at.longitude,
                                        place->country_number, place->is_exact},
                                       static_cast<std::uint32_t>(places.size() + 1));
                 if (is_new) places.push_back(*place);
                 into.is_exact_ = into.is_exact_ && place->is_exact;
                 return at->second;
               }});
  });
}

base::expected<std::shared_ptr<const asn_file>>
asn_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  return open_copy<asn_file>(path, corrupted_by, [&](const sealed_file& copy, asn_file& into) {
    into.path_ = path;
    if (is_csv(copy)) {
      into.table_ = read_csv(copy.bytes());
      return;
    }
    auto contents = read_mmdb(
        copy, {"the number of an autonomous system; use a database of autonomous systems, such as "
               "GeoLite2 ASN (databases of places belong into geoip)",
               [](mmdb_record_reader& reader, std::uint32_t offset) {
                 return reader.read_asn(offset).value_or(0);
               }});
    into.database_ = std::move(contents.description);
    into.table_ = std::move(contents.table);
  });
}

} // namespace matchcloud::store
