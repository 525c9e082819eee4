#include "store/files/new_file.hpp"

#include "base/files/name_file.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace matchcloud::store {

namespace {

constexpr mode_t file_mode = 0600;

} // namespace

new_file::new_file(std::string path, bool is_of_export)
    : file_{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file_mode)},
      is_of_export_{is_of_export} {
  if (!file_) throw file_failure(path, "create the file");
  // The umask may have removed permissions that this user needs.
  if (::fchmod(file_.get(), file_mode) != 0) {
    const int code = errno;
    ::unlink(path.c_str());
    throw file_failure(path, "set the permissions", code);
  }
  path_ = std::move(path);
}

new_file::~new_file() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void new_file::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto some = offered(bytes);
    const auto written = ::write(file_.get(), some.data(), some.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_failure(path_, "write the file");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_bytes_ += static_cast<std::uint64_t>(written);
  }
  if (size_bytes_ - handed_bytes_ < writeback_bytes) return;
  // Only a hint: the sync reports any error.
  ::sync_file_range(file_.get(), static_cast<off_t>(handed_bytes_),
                    static_cast<off_t>(size_bytes_ - handed_bytes_), SYNC_FILE_RANGE_WRITE);
  handed_bytes_ = size_bytes_;
}

std::string_view new_file::offered(std::string_view bytes) const {
  if (!is_of_export_) return bytes;
  const auto hit = base::value_of(pass(base::fault_point::export_write, path_, "write the file"));
  if (hit.kind != base::fault_kind::short_write) return bytes;
  return bytes.substr(0, base::faults::shortened(bytes.size(), hit.random));
}

void new_file::sync() {
  if (is_of_export_) base::value_of(pass(base::fault_point::export_sync, path_, "sync the file"));
  if (::fsync(file_.get()) != 0) throw file_failure(path_, "sync the file");
}

void new_file::rename_to(const std::string& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) throw file_failure(path, "rename into place");
  keep();
}

bool new_file::link_to(const std::string& path) {
  // The temporary name, if it is still there, is removed with this object.
  const int code = base::name_file(path_.c_str(), path.c_str());
  if (code != 0 && code != EEXIST) throw file_failure(path, "link into place", code);
  return code == 0;
}

} // namespace matchcloud::store
