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

/// What a file says of itself.
struct mmdb_description {
  /// `GeoLite2-City`; may hold any bytes.
  std::string database_type;
  /// Seconds since 1970.
  std::uint64_t build_epoch = 0;
  /// 4 or 6. One of 6 may hold IPv4 addresses too.
  unsigned ip_version = 0;
  /// Of the search tree.
  std::uint32_t node_count = 0;
};

/// One MaxMind database in private memory (a memfd): a file that is overwritten in place cannot
/// crash a reader. Immutable once opened, so any thread may look up.
class mmdb_file {
public:
  /// Copies the file at `path`, checks it whole and reads the places of all of its records: blocks
  /// for a third of a second per 100 MB. Fails with `geoip_invalid`, naming the file and the
  /// reason: it cannot be read, is no MaxMind database, is damaged anywhere in its tree or in a
  /// record that the tree points to, or none of its records tells a place.
  static base::expected<std::shared_ptr<const mmdb_file>> open(const std::string& path);
  /// As if the machine had changed one bit of what it copied; `random` says which.
  static base::expected<std::shared_ptr<const mmdb_file>> open_corrupted(const std::string& path,
                                                                         std::uint64_t random);

  mmdb_file() = default;
  mmdb_file(const mmdb_file&) = delete;
  mmdb_file& operator=(const mmdb_file&) = delete;
  ~mmdb_file();

  /// What the file says of `address`, as it is written: an IPv6 address that stands for an IPv4
  /// one is not looked up as that. Nothing where the file says nothing of it, and for an IPv6
  /// address in a database of IPv4. Does not allocate.
  std::optional<mmdb_place> find(const model::ip_address& address) const noexcept;

  mmdb_description describe() const;

  const place_table& places() const noexcept { return places_; }

private:
  static base::expected<std::shared_ptr<const mmdb_file>>
  open(const std::string& path, std::optional<std::uint64_t> corrupted_by);
  /// Maps and checks the copy. An empty reason means success.
  std::string open_copy(const memory_file& copy);
  std::string check_metadata() const;
  /// The bytes between the tree and the metadata. Empty where there are none.
  std::span<const std::uint8_t> records() const noexcept;
  /// Goes over the whole tree and reads what it points to.
  std::string read_places();

  MMDB_s file_{};
  place_table places_;
  bool open_ = false;
};

} // namespace matchcloud::store
