#include "cli/staged_file.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/name_file.hpp"
#include "base/files/sync_directory.hpp"
#include "cli/write_all.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace matchcloud::cli {

namespace {

std::string folder_of(const std::string& name) {
  const auto folder = std::filesystem::path{name}.parent_path();
  return folder.empty() ? "." : folder.string();
}

tl::unexpected<base::error> failure(const std::string& name, const char* operation, int code) {
  return base::io_failure(name, operation, code, base::errc::io_failed);
}

tl::unexpected<base::error> exists(const std::string& name) {
  return base::fail(base::errc::io_failed,
                    name + ": it already exists and is not replaced; choose another name");
}

} // namespace

base::expected<staged_file> staged_file::write(const std::string& file, std::string_view bytes,
                                               mode_t mode, taken_name taken) {
  staged_file made{file, taken};
  struct stat found {};
  if (taken == taken_name::refuse && ::lstat(file.c_str(), &found) == 0) return exists(file);
  const auto aside = made.create_aside();
  if (!aside) return tl::unexpected(aside.error());
  if (auto written = write_all(aside->get(), file, bytes); !written)
    return tl::unexpected(written.error());
  if (::fchmod(aside->get(), mode) != 0) return failure(file, "set its permissions", errno);
  if (::fsync(aside->get()) != 0) return failure(file, "sync it", errno);
  return made;
}

base::expected<base::file_descriptor> staged_file::create_aside() {
  const auto beside = folder_of(name_) + "/.matchcloud-" + std::to_string(::getpid()) + "-";
  for (int number = 0; number < aside_limit; ++number) {
    auto path = beside + std::to_string(number) + ".part";
    base::file_descriptor file{
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only)};
    if (!file && errno == EEXIST) continue;
    if (!file) return failure(name_, "create it", errno);
    aside_ = std::move(path);
    return file;
  }
  return failure(name_, "create a temporary file next to it", EEXIST);
}

staged_file::~staged_file() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

base::expected<void> staged_file::commit() {
  if (taken_ == taken_name::replace) {
    if (::rename(aside_.c_str(), name_.c_str()) != 0)
      return failure(name_, "rename the temporary file to it", errno);
  } else {
    const int code = base::name_file(aside_.c_str(), name_.c_str());
    if (code == EEXIST) return exists(name_);
    if (code != 0) return failure(name_, "rename the temporary file to it", code);
    ::unlink(aside_.c_str()); // already gone if the file system has no links
  }
  aside_.clear();
  return base::sync_directory(folder_of(name_));
}

} // namespace matchcloud::cli
