#pragma once

#include "store/geoip/address_table.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/sealed_file.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Describes by its first bytes how a file is packed (compressed or an archive), and how to unpack
/// it: vendors distribute databases in packed form. Continues "it is"; empty if the bytes show no
/// packing. Looks into gzip, because an archive inside needs a different command.
std::string describe_packing(std::span<const std::uint8_t> beginning);

/// A database's metadata.
struct mmdb_description {
  /// For example `GeoLite2-City`; may contain arbitrary bytes.
  std::string database_type;
  /// Seconds since 1970.
  std::uint64_t build_epoch = 0;
};

/// What a reader of a database needs from its records.
struct wanted_records {
  /// Continues "none of whose records has", and says what to do.
  std::string_view what;
  /// The number of the record at an offset of the data section; 0 if it has none. Throws if the
  /// record is damaged.
  std::function<std::uint32_t(mmdb_record_reader& reader, std::uint32_t offset)> number_of;
};

/// The contents of a database, in a form made for look-ups.
struct mmdb_contents {
  mmdb_description description;
  /// The number of each address's record. IPv4 addresses are not found as IPv6 addresses too: their
  /// part of the tree is left out of IPv6, wherever it leads there.
  address_table table;
};

/// Checks a MaxMind database completely with libmaxminddb, and reads all of its records. Blocks for
/// about one second per 100 MB. Throws `geoip_invalid` with a reason that does not repeat the path:
/// the file is not a MaxMind database, is damaged in its tree or in a record that the tree points
/// to, or has no record with what is wanted.
mmdb_contents read_mmdb(const sealed_file& file, const wanted_records& wanted);

/// Whether the metadata of a MaxMind database begins near the end of the file.
bool has_mmdb_metadata(const sealed_file& file);

} // namespace matchcloud::store
