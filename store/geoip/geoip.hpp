#pragma once

#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::store {

class mmdb_file;

/// One or several MaxMind databases. Immutable once opened, so any thread may look up.
class geoip {
public:
  /// Of open files, in the order of preference.
  static std::shared_ptr<const geoip> of(std::vector<std::shared_ptr<const mmdb_file>> files);

  virtual ~geoip() = default;

  /// Where `address` is, by `locate_in`. Never fails, does not allocate. About 0.2 microseconds.
  virtual std::optional<model::coordinates>
  locate(const model::ip_address& address) const noexcept = 0;
};

/// A place and the file that tells it.
struct located_address {
  mmdb_place place;
  /// Among those that were asked.
  std::size_t file = 0;
};

/// Of the files, in the order given, the first that has coordinates for `address` decides; where
/// none has, the first that names its country. An address of 6to4, NAT64 or Teredo is where the
/// IPv4 address within it is. Any thread.
std::optional<located_address> locate_in(std::span<const std::shared_ptr<const mmdb_file>> files,
                                         const model::ip_address& address) noexcept;

/// The address that `locate_in` looks up for `address`.
model::ip_address looked_up(const model::ip_address& address) noexcept;

} // namespace matchcloud::store
