#pragma once

#include "base/expected.hpp"
#include "store/files/new_file.hpp"
#include "store/files/temporary_folder.hpp"
#include "store/object_store.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The objects of a data directory, `DATA_DIR/NAME`, next to its other contents: written under a
/// temporary name, synced, and linked under their names. Several processes share the directory. Has
/// no URLs. Any thread; calls wait for the disk.
class file_objects final : public object_store {
public:
  /// Fails with `store_failed` or `store_full`.
  static base::expected<std::unique_ptr<file_objects>> open(const std::string& data_dir);

  base::expected<object_outcome> put_new(const object_name& name, std::string_view bytes,
                                         const std::string& content_type) override;
  base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) override;
  base::expected<std::optional<object_facts>> read(const object_name& name,
                                                   const std::optional<object_range>& range,
                                                   const object_taker& take) override;
  base::expected<std::optional<object_facts>> stat(const object_name& name) override;
  base::expected<void> remove(const object_name& name) override;
  base::expected<void> list(const std::optional<object_name>& folder,
                            const listing_taker& take) override;
  base::expected<std::optional<std::string>> link(const object_name& name,
                                                  const object_link& what) override;
  /// Removes all that dead processes left, regardless of its age; returns 0.
  base::expected<std::size_t> collect_leftovers(std::chrono::seconds age) override;
  void stop() noexcept override { stopped_ = true; }

private:
  class upload;

  explicit file_objects(std::string data_dir) : data_dir_{std::move(data_dir)} {}

  std::string path_of(const object_name& name) const { return data_dir_ + "/" + name.text(); }
  base::expected<void> check_running() const;
  base::expected<new_file> create_aside();
  /// Gives a complete file its name.
  base::expected<object_outcome> publish(new_file& file, const object_name& name);

  std::string data_dir_;
  std::mutex mutex_;
  /// Created when the first object is stored.
  std::optional<temporary_folder> aside_;
  std::uint64_t made_aside_ = 0;
  std::atomic<bool> stopped_{false};
};

} // namespace matchcloud::store
