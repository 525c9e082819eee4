#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/open_file.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_store.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

inline constexpr const char* export_csv_name = "lobby-history.csv";
inline constexpr const char* export_gzip_name = "lobby-history.csv.gz";
inline constexpr const char* export_about_name = "about.json";

/// The name, in a data directory, of the folder that holds all exports.
inline constexpr const char* exports_name = "exports";
/// The folder that holds all exports.
std::string exports_path(const std::string& data_dir);
/// The folder of an export, `DATA_DIR/exports/EXPORT_ID`. Built from the id alone, so no
/// client-supplied text gets into it.
std::string export_path(const std::string& data_dir, const model::uuid& export_id);

/// The folder of a finished export, held open by descriptor: all files read through it belong to
/// the same export, even if its name is then removed or reused. Follows no symbolic links and
/// accepts only regular files.
class export_folder {
public:
  using file_ptr = std::shared_ptr<const base::open_file>;

  /// Opens the folder. Fails with `export_not_found`, `overloaded` or `io_failed`, as do all
  /// functions below.
  static base::expected<export_folder> open(const std::string& data_dir,
                                            const model::uuid& export_id);

  /// Reads `about.json`. Fails with `store_failed` if it is damaged or missing.
  base::expected<export_about> about() const;
  /// Opens the CSV. Fails with `store_failed` if it is not the one that `about` describes.
  base::expected<file_ptr> csv(const export_about& about) const;
  /// Opens the compressed file; null if it has not been made.
  base::expected<file_ptr> gzip() const;
  /// The size of both files, as far as they exist.
  std::uint64_t size_bytes() const;

private:
  export_folder(base::file_descriptor folder, const model::uuid& export_id) noexcept
      : folder_{std::move(folder)}, export_id_{export_id} {}

  base::expected<file_ptr> file(const char* name) const;
  /// The same, but a missing file is `store_failed`.
  base::expected<file_ptr> needed(const char* name) const;

  base::file_descriptor folder_;
  model::uuid export_id_;
};

} // namespace matchcloud::store
