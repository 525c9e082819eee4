#pragma once

#include "base/expected.hpp"
#include "model/net/ip_address.hpp"
#include "store/geoip/address_table.hpp"
#include "store/geoip/place_table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::store {

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

/// The places of one MaxMind database, in a form made for look-ups. The file is read and never
/// mapped, so that overwriting it cannot crash a reader. Immutable once opened, so
/// any thread may look up addresses.
class mmdb_file {
public:
  /// Reads the file at `path`, checks it completely, reads the places of all of its records and
  /// expands its tree. Takes less memory beside the tables than the tables do. Blocks for half a
  /// second per 100 MB. Fails with `geoip_invalid`, naming the file and the reason: it cannot be
  /// read or changes meanwhile, is not a MaxMind database, is damaged in its tree or in a record
  /// that the tree points to, or none of its records has a place.
  static base::expected<std::shared_ptr<const mmdb_file>> open(const std::string& path);
  /// Opens a copy in which one bit was flipped, as if by the machine; `random` determines which
  /// one.
  static base::expected<std::shared_ptr<const mmdb_file>> open_corrupted(const std::string& path,
                                                                         std::uint64_t random);

  /// The number of the place of `address` exactly as it is written, plus 1: an IPv6 address that
  /// embeds an IPv4 address is not looked up as that. 0 if the file has no place for it, and for an
  /// IPv6 address in an IPv4 database. Does not allocate.
  std::uint32_t find_number(const model::ip_address& address) const noexcept {
    return table_.find(address);
  }
  /// The same for several addresses; see `address_table::find`.
  void find_numbers(std::span<const model::ip_address> addresses,
                    std::span<std::uint32_t> numbers) const noexcept {
    table_.find(addresses, numbers);
  }
  /// The place that `find_number` finds; nothing where it finds none.
  std::optional<mmdb_place> find(const model::ip_address& address) const noexcept;

  const mmdb_description& describe() const noexcept { return description_; }

  const place_table& places() const noexcept { return places_; }

private:
  class source;

  static base::expected<std::shared_ptr<const mmdb_file>>
  open(const std::string& path, std::optional<std::uint64_t> corrupted_by);

  mmdb_description description_;
  place_table places_;
  address_table table_;
};

} // namespace matchcloud::store
