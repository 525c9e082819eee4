#pragma once

#include "base/expected.hpp"
#include "model/net/ip_address.hpp"
#include "store/geoip/address_table.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/mmdb_source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// The places of one MaxMind database, in a form made for look-ups. The file is copied and never
/// mapped itself, so that overwriting it cannot crash a reader. Immutable once opened, so any
/// thread may look up addresses.
class mmdb_file {
public:
  /// Reads the file at `path` like `read_mmdb`. Fails with `geoip_invalid`, naming the file and the
  /// reason; a file without any record that has a place is refused. If `corrupted_by` is set, opens
  /// a copy in which one bit was flipped, as if by the machine; the number determines which one.
  static base::expected<std::shared_ptr<const mmdb_file>>
  open(const std::string& path, std::optional<std::uint64_t> corrupted_by = {});

  /// The number of the place of `address` exactly as written, plus 1: an IPv6 address that embeds
  /// an IPv4 address is not looked up as the IPv4 address. 0 if the file has no place for it, and
  /// for an IPv6 address in an IPv4 database. Does not allocate.
  std::uint32_t find_number(const model::ip_address& address) const noexcept {
    return contents_.table.find(address);
  }

  const std::string& path() const noexcept { return path_; }
  const mmdb_description& describe() const noexcept { return contents_.description; }

  /// The places of the file, each once.
  const std::vector<mmdb_place>& places() const noexcept { return places_; }
  /// Whether `is_exact` holds for every place.
  bool is_exact() const noexcept { return is_exact_; }

private:
  std::string path_;
  mmdb_contents contents_;
  std::vector<mmdb_place> places_;
  bool is_exact_ = true;
};

/// The autonomous systems of addresses, from a MaxMind database or from CSV, in a form made for
/// look-ups. Immutable once opened, so any thread may look up addresses.
class asn_file {
public:
  /// Reads the file at `path` completely: a MaxMind database like `read_mmdb`, or CSV like
  /// `asn_csv`, told apart by their content. Blocks for half a second per 100 MB of a database and
  /// one second per 100 MB of CSV. Fails with `geoip_invalid`, naming the file and the reason. See
  /// `mmdb_file::open` for `corrupted_by`.
  static base::expected<std::shared_ptr<const asn_file>>
  open(const std::string& path, std::optional<std::uint64_t> corrupted_by = {});

  /// The number of the autonomous system of `address` exactly as written; 0 if unknown.
  std::uint32_t find(const model::ip_address& address) const noexcept {
    return table_.find(address);
  }

  const std::string& path() const noexcept { return path_; }
  /// The metadata of a MaxMind database; CSV has none.
  const std::optional<mmdb_description>& database() const noexcept { return database_; }

private:
  std::string path_;
  std::optional<mmdb_description> database_;
  address_table table_;
};

} // namespace matchcloud::store
