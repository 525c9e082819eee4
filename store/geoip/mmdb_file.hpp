#pragma once

#include "base/expected.hpp"
#include "model/net/ip_address.hpp"
#include "store/geoip/place_table.hpp"

#include <maxminddb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::store {

class memory_file;

/// A database's metadata.
struct mmdb_description {
  /// For example `GeoLite2-City`; may contain arbitrary bytes.
  std::string database_type;
  /// Seconds since 1970.
  std::uint64_t build_epoch = 0;
  /// 4 or 6. A database of version 6 may contain IPv4 addresses too.
  unsigned ip_version = 0;
  /// Number of nodes in the search tree.
  std::uint32_t node_count = 0;
};

/// One MaxMind database in private memory (a memfd), so that overwriting the file in place cannot
/// crash a reader. Immutable once opened, so any thread may look up addresses.
class mmdb_file {
public:
  /// Copies the file at `path`, checks it completely and reads the places of all of its records.
  /// Blocks for a third of a second per 100 MB. Fails with `geoip_invalid`, naming the file and the
  /// reason: it cannot be read, is not a MaxMind database, is damaged in its tree or in a record
  /// that the tree points to, or none of its records has a place.
  static base::expected<std::shared_ptr<const mmdb_file>> open(const std::string& path);
  /// Opens a copy in which one bit was flipped, as if by the machine; `random` determines which
  /// one.
  static base::expected<std::shared_ptr<const mmdb_file>> open_corrupted(const std::string& path,
                                                                         std::uint64_t random);

  mmdb_file() = default;
  mmdb_file(const mmdb_file&) = delete;
  mmdb_file& operator=(const mmdb_file&) = delete;
  ~mmdb_file();

  /// Looks up `address` exactly as it is written: an IPv6 address that embeds an IPv4 address is
  /// not looked up as that. Returns nothing if the file has no place for it, and for an IPv6
  /// address in an IPv4 database. Does not allocate.
  std::optional<mmdb_place> find(const model::ip_address& address) const noexcept;

  mmdb_description describe() const;

  const place_table& places() const noexcept { return places_; }

private:
  static base::expected<std::shared_ptr<const mmdb_file>>
  open(const std::string& path, std::optional<std::uint64_t> corrupted_by);
  /// Maps and checks the copy. Returns the reason of a failure; empty on success.
  std::string open_copy(const memory_file& copy);
  std::string check_metadata() const;
  /// The bytes between the tree and the metadata; empty if there are none.
  std::span<const std::uint8_t> records() const noexcept;
  /// Walks the whole tree and reads the records that it points to. Returns the reason of a failure;
  /// empty on success.
  std::string read_places();

  MMDB_s file_{};
  place_table places_;
  bool open_ = false;
};

} // namespace matchcloud::store
