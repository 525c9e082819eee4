#pragma once

#include "base/expected.hpp"
#include "model/ip_address.hpp"

#include <maxminddb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace matchcloud::store {

class memory_file;

/// One MaxMind database in private memory (a memfd): a file that is overwritten in place cannot
/// crash a reader. Immutable once opened, so any thread may look up.
class mmdb_file {
public:
  /// Copies the file at `path` and checks it whole: blocks for a quarter of a second per 100 MB.
  /// Fails with `geoip_invalid`, naming the file and the reason.
  static base::expected<std::shared_ptr<const mmdb_file>> open(const std::string& path);

  mmdb_file() = default;
  mmdb_file(const mmdb_file&) = delete;
  mmdb_file& operator=(const mmdb_file&) = delete;
  ~mmdb_file();

  /// The record of `address`, as its offset in the data section: many addresses share one. Nothing
  /// where the file says nothing of it, and for an IPv6 address in a database of IPv4. Does not
  /// allocate.
  std::optional<std::uint32_t> find(const model::ip_address& address) const noexcept;

  /// What `find` points into.
  std::span<const std::uint8_t> data_section() const noexcept {
    return {file_.data_section, file_.data_section_size};
  }

private:
  /// Maps and checks the copy. An empty reason means success.
  std::string open_copy(const memory_file& copy);
  std::string check_metadata() const;
  std::string check_tree() const;

  MMDB_s file_{};
  bool open_ = false;
};

} // namespace matchcloud::store
