#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "base/open_file.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_about.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

inline constexpr const char* export_csv_name = "lobby-history.csv";
inline constexpr const char* export_gzip_name = "lobby-history.csv.gz";
inline constexpr const char* export_about_name = "about.json";

/// Where exports are.
std::string exports_path(const std::string& data_dir);
/// Where an export is: `DATA_DIR/exports/EXPORT_ID`. Rendered from the id alone: no text of a
/// client gets into it.
std::string export_path(const std::string& data_dir, const model::uuid& export_id);

tl::unexpected<base::error> export_not_found();
tl::unexpected<base::error> too_many_exports_open();

/// The folder of a finished export, held open: whatever becomes of its name meanwhile, what is read
/// here is of one export. Follows no symbolic links and takes regular files only.
class export_folder {
public:
  using file_ptr = std::shared_ptr<const base::open_file>;

  /// Fails with `export_not_found`, `overloaded` or `io_failed`, as all below.
  static base::expected<export_folder> open(const std::string& data_dir,
                                            const model::uuid& export_id);

  /// Fails with `store_failed` where it is damaged or missing.
  base::expected<export_about> about() const;
  base::expected<file_ptr> csv() const { return file(export_csv_name); }
  /// Null where it was not made yet.
  base::expected<file_ptr> gzip() const;
  /// Of both, as far as they are there.
  std::uint64_t size_bytes() const;

private:
  export_folder(base::file_descriptor folder, const model::uuid& export_id) noexcept
      : folder_{std::move(folder)}, export_id_{export_id} {}

  base::expected<file_ptr> file(const char* name) const;

  base::file_descriptor folder_;
  model::uuid export_id_;
};

} // namespace matchcloud::store
