#pragma once

#include "base/expected.hpp"
#include "store/exports/signing_keys.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace matchcloud::store {

/// The signing keys of a data directory as they are by and by: somebody calls `refresh`, everybody
/// reads. One per process; any thread.
class signing_key_ring {
public:
  /// Fails as `signing_keys::load`.
  static base::expected<std::unique_ptr<signing_key_ring>> open(std::string data_dir);

  std::shared_ptr<const signing_keys> current() const;

  /// Takes up what another process rotated. Keys that cannot be read stay in force, which is logged
  /// once. Waits for the disk.
  void refresh();

private:
  signing_key_ring(std::string data_dir, signing_keys keys);

  std::string data_dir_;
  mutable std::mutex mutex_;
  std::shared_ptr<const signing_keys> keys_;
  bool failing_ = false;
};

} // namespace matchcloud::store
