#include "store/exports/export_files.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace matchcloud::store {

export_draft::export_draft(export_files& files, std::string folder, new_file file) noexcept
    : files_{&files}, folder_{std::move(folder)}, file_{std::move(file)} {}

export_draft::export_draft(export_draft&& other) noexcept
    : files_{other.files_},
      folder_{std::exchange(other.folder_, {})},
      file_{std::move(other.file_)},
      taken_bytes_{std::exchange(other.taken_bytes_, 0)},
      whole_{other.whole_} {}

export_draft::~export_draft() {
  if (folder_.empty()) return;
  std::error_code ignored; // leftovers are removed with the process's temporary folder
  std::filesystem::remove_all(folder_, ignored);
  files_->ledger_.give_back(taken_bytes_);
}

base::expected<void> export_draft::append(std::string_view bytes) {
  whole_ = whole_ && files_->ledger_.try_take(bytes.size());
  if (!whole_)
    return base::fail(base::errc::exports_full,
                      "The files of exports take as many bytes as they may, and those that are "
                      "there were promised. Ask again when some have expired, or for a shorter "
                      "span.");
  taken_bytes_ += bytes.size();
  auto written = file_.append(bytes);
  whole_ = written.has_value();
  return written;
}

} // namespace matchcloud::store
