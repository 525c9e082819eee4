#pragma once

#include "base/expected.hpp"
#include "store/exports/signing_keys.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace matchcloud::store {

/// The current signing keys of a data directory, which change over time: one task calls `refresh`,
/// everyone reads. One per process; any thread.
class signing_key_ring {
public:
  /// Loads the keys. Fails like `signing_keys::load`.
  static base::expected<std::unique_ptr<signing_key_ring>> open(std::string data_dir);

  std::shared_ptr<const signing_keys> current() const;

  /// Loads keys that another process rotated. If they cannot be read, the present keys stay in
  /// force, and the failure is logged once. Waits for the disk.
  void refresh();

private:
  signing_key_ring(std::string data_dir, signing_keys keys);

  std::string data_dir_;
  mutable std::mutex mutex_;
  std::shared_ptr<const signing_keys> keys_;
  bool failing_ = false;
};

} // namespace matchcloud::store
