#pragma once

#include "base/expected.hpp"
#include "model/catalog.hpp"
#include "model/ip_address.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

class mmdb_file;

/// One or several MaxMind databases. Immutable once opened, so any thread may look up.
class geoip {
public:
  /// Opens the files in the order of preference. Fails with `geoip_invalid`, naming the file and
  /// the reason. Blocks as `mmdb_file::open` does, for each.
  static base::expected<std::shared_ptr<const geoip>> open(const std::vector<std::string>& files);

  /// Likewise, of files that are open.
  static std::shared_ptr<const geoip> of(std::vector<std::shared_ptr<const mmdb_file>> files);

  virtual ~geoip() = default;

  /// Of the files, the first that has coordinates for `address` decides. GeoIP2/GeoLite2
  /// (`location.latitude`) and flat (`latitude`) records, judged per record; floats, doubles,
  /// integers and numbers as strings. Never fails: what a damaged record does not give is unknown.
  /// Does not allocate. About 0.5 microseconds.
  virtual std::optional<model::coordinates>
  locate(const model::ip_address& address) const noexcept = 0;
};

} // namespace matchcloud::store
