#include "cli/output_file.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/name_file.hpp"
#include "base/files/sync_directory.hpp"
#include "base/files/working_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>

namespace matchcloud::cli {

namespace {

/// The number of bytes that are buffered before they are written.
constexpr std::size_t block_bytes = 256UL * 1024;
/// The number of bytes that a pipe accepts without blocking when poll reports it as writable
/// (pipe(7)).
constexpr std::size_t portion_bytes = PIPE_BUF;

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

/// A new file next to `path`, whose own path is `BEGIN-PID-N.part` there. Errors call it `name`.
base::expected<std::pair<base::file_descriptor, std::string>>
create_aside(const std::string& path, const std::string& name, const char* begin, mode_t mode,
             const char* operation) {
  const auto stem = folder_of(path) + "/" + begin + "-" + std::to_string(::getpid()) + "-";
  for (int number = 0; number < aside_limit; ++number) {
    auto made = stem + std::to_string(number) + ".part";
    base::file_descriptor file{::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
    if (file) return std::pair{std::move(file), std::move(made)};
    if (errno != EEXIST) return failure(name, operation, errno);
  }
  return failure(name, "create a temporary file next to it", EEXIST);
}

} // namespace

base::expected<void> write_all(int file, const std::string& name, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return failure(name, "write", errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

base::expected<private_file> private_file::create(const std::string& file) {
  const base::as_invoker self;
  base::file_descriptor opened{
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only)};
  if (!opened && errno == EEXIST) return exists(file);
  if (!opened) return failure(file, "create it", errno);
  private_file made{file, std::move(opened)};
  // The umask may have removed the owner's permissions, too.
  if (::fchmod(made.file_.get(), owner_only) != 0)
    return failure(file, "set its permissions", errno);
  return made;
}

private_file::~private_file() {
  if (!file_) return;
  const base::as_invoker self;
  ::unlink(name_.c_str());
}

base::expected<void> private_file::write(std::string_view bytes) {
  if (auto written = write_all(file_.get(), name_, bytes); !written) return written;
  if (::fsync(file_.get()) != 0) return failure(name_, "sync it", errno);
  file_.reset();
  return {};
}

base::expected<staged_file> staged_file::write(const std::string& file, std::string_view bytes,
                                               mode_t mode, taken_name taken) {
  staged_file made{file, taken};
  struct stat found {};
  if (taken == taken_name::refuse && ::lstat(file.c_str(), &found) == 0) return exists(file);
  auto aside = create_aside(file, file, ".matchcloud", owner_only, "create it");
  if (!aside) return tl::unexpected(aside.error());
  made.aside_ = std::move(aside->second);
  const int fd = aside->first.get();
  if (auto written = write_all(fd, file, bytes); !written) return tl::unexpected(written.error());
  if (::fchmod(fd, mode) != 0) return failure(file, "set its permissions", errno);
  if (::fsync(fd) != 0) return failure(file, "sync it", errno);
  return made;
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

base::expected<output_file> output_file::open(const std::string& file) {
  output_file made;
  made.name_ = file == "-" ? "stdout" : file;
  struct stat found {};
  if (file == "-") {
    made.fd_ = STDOUT_FILENO;
    made.waits_ = ::fstat(made.fd_, &found) != 0 || !S_ISREG(found.st_mode);
    return made;
  }
  if (::stat(file.c_str(), &found) != 0) {
    if (errno != ENOENT) return failure(made.name_, "use it", errno);
    made.path_ = std::filesystem::path{file}.lexically_normal().string();
    if (made.path_.ends_with('/') || made.path_.empty())
      return failure(made.name_, "create it", EISDIR);
    return made;
  }
  if (S_ISDIR(found.st_mode)) return failure(made.name_, "write to it", EISDIR);
  if (S_ISREG(found.st_mode)) {
    // Do not replace a file that a shell's > could not overwrite.
    if (::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0)
      return failure(made.name_, "replace it", errno);
    std::error_code failed;
    made.path_ = std::filesystem::canonical(file, failed).string();
    if (failed) return failure(made.name_, "use it", failed.value());
    made.mode_ = found.st_mode & 0777U;
    return made;
  }
  made.file_ = base::file_descriptor{::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
  if (!made.file_) return failure(made.name_, "open it for writing", errno);
  made.fd_ = made.file_.get();
  return made;
}

output_file::~output_file() {
  if (!file_ || aside_.empty()) return;
  const base::as_invoker self;
  ::unlink(aside_.c_str());
}

base::expected<void> output_file::begin(const interrupt& until) {
  until_ = &until;
  if (!is_aside()) return {};
  const base::as_invoker self;
  // The replaced file may be private to its user, so the new one must never be more accessible.
  auto aside = create_aside(path_, name_, ".matchcloud-export", mode_ ? owner_only : 0666,
                            "create a temporary file next to it");
  if (!aside) return tl::unexpected(aside.error());
  file_ = std::move(aside->first);
  aside_ = std::move(aside->second);
  fd_ = file_.get();
  waits_ = false;
  if (mode_ && ::fchmod(fd_, *mode_) != 0) return failure(name_, "set its permissions", errno);
  return {};
}

base::expected<void> output_file::write(std::string_view bytes) {
  bytes_ += bytes.size();
  if (held_.size() + bytes.size() < block_bytes) {
    held_.append(bytes);
    return {};
  }
  if (auto flushed = flush(); !flushed) return flushed;
  if (bytes.size() >= block_bytes) return put(bytes);
  held_.append(bytes);
  return {};
}

base::expected<void> output_file::start_anew() {
  held_.clear();
  bytes_ = 0;
  if (::ftruncate(fd_, 0) != 0) return failure(name_, "truncate it", errno);
  if (::lseek(fd_, 0, SEEK_SET) != 0) return failure(name_, "seek to its beginning", errno);
  return {};
}

base::expected<void> output_file::complete() {
  if (auto flushed = flush(); !flushed) return flushed;
  if (!is_aside()) return {};
  const base::as_invoker self;
  if (::fsync(fd_) != 0) return failure(name_, "sync it", errno);
  if (::rename(aside_.c_str(), path_.c_str()) != 0)
    return failure(name_, "rename the temporary file to it", errno);
  aside_.clear();
  return base::sync_directory(folder_of(path_));
}

base::expected<void> output_file::flush() {
  auto done = put(held_);
  held_.clear();
  return done;
}

base::expected<void> output_file::put(std::string_view bytes) {
  while (!bytes.empty()) {
    if (waits_ && !until_->wait_writable(fd_))
      return base::fail(base::errc::cancelled, "interrupted");
    const auto written =
        ::write(fd_, bytes.data(), waits_ ? std::min(bytes.size(), portion_bytes) : bytes.size());
    if (written < 0 && errno == EPIPE && fd_ == STDOUT_FILENO)
      return base::fail(base::errc::cancelled, {}); // the reader needs no more
    if (written < 0 && errno != EINTR && errno != EAGAIN) return failure(name_, "write", errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

} // namespace matchcloud::cli
