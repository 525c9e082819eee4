#pragma once

#include "base/expected.hpp"
#include "store/files/stable_file.hpp"
#include "store/geoip/address_table.hpp"
#include "store/geoip/record_numbers.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Offsets in the format have 32 bits.
inline constexpr std::uint64_t mmdb_limit_bytes = std::uint64_t{4} << 30;

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
  /// Numbers the records at some offsets of the data section. Fails if a record is damaged.
  std::function<base::expected<record_numbers>(std::span<const std::uint8_t> section,
                                               offset_set offsets)>
      read;
};

/// The contents of a database, in a form made for look-ups.
struct mmdb_contents {
  mmdb_description description;
  /// The number of each address's record.
  address_table table;
};

/// Reads a MaxMind database, checks it completely, reads all of its records and expands its tree.
/// Needs less additional memory than the table itself. Blocks for half a second per 100 MB. Fails
/// with a reason that does not repeat the path: the file cannot be read or changes while it is
/// read, is not a MaxMind database, is damaged in its tree or in a record that the tree points to,
/// or has no record with what is wanted.
base::expected<mmdb_contents> read_mmdb(const stable_file& file, const wanted_records& wanted);

/// Whether the metadata of a MaxMind database begins near the end of the file. False if it cannot
/// be read.
bool has_mmdb_metadata(const stable_file& file);

} // namespace matchcloud::store
