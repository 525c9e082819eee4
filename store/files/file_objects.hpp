#pragma once

#include "base/expected.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/object_store.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The objects of a data directory, `DATA_DIR/NAME`, next to its other contents: written under a
/// temporary name, synced, and linked under their names. Those in `exports/` are subject to faults
/// injected at `export.*`. Several processes share the directory. Has no URLs. Any thread; calls
/// wait for the disk.
class file_objects final : public object_store {
public:
  /// Fails with `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<file_objects>> open(const std::string& data_dir);

  base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) override;
  base::expected<std::optional<object_facts>> read(const object_name& name,
                                                   const std::optional<object_range>& range,
                                                   const object_taker& take) override;
  base::expected<std::optional<object_facts>> stat(const object_name& name) override;
  bool is_local() const noexcept override { return true; }
  /// Does not follow a symbolic link in the last component and accepts only regular files.
  base::expected<std::shared_ptr<const base::open_file>>
  open_local(const object_name& name) override;
  base::expected<void> remove(const object_name& name) override;
  base::expected<void> list(const std::optional<object_name>& folder,
                            const listing_taker& take) override;
  /// Removes all that dead processes left, regardless of its age; returns 0.
  base::expected<std::size_t> collect_leftovers(std::chrono::seconds age) override;
  void stop() noexcept override { stopped_ = true; }

private:
  class upload;

  explicit file_objects(std::string data_dir) : data_dir_{std::move(data_dir)} {}

  std::string path_of(const object_name& name) const { return data_dir_ + "/" + name.text(); }
  // These throw.
  void check_running() const;
  /// Gives a synced file its name.
  object_outcome publish(new_file& file, const object_name& name) const;
  std::optional<object_facts> read_file(const std::string& path,
                                        const std::optional<object_range>& range,
                                        const object_taker& take) const;
  void list_files(std::string root, const listing_taker& take) const;

  std::string data_dir_;
  std::atomic<bool> stopped_{false};
};

} // namespace matchcloud::store
