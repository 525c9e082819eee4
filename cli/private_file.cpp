#include "cli/private_file.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/working_identity.hpp"
#include "cli/write_all.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace matchcloud::cli {

base::expected<private_file> private_file::create(const std::string& file) {
  const base::as_invoker self;
  base::file_descriptor opened{
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only)};
  if (!opened && errno == EEXIST)
    return base::fail(base::errc::io_failed,
                      file + ": it already exists and is not replaced; choose another name");
  if (!opened) return base::io_failure(file, "create it", errno, base::errc::io_failed);
  private_file made{file, std::move(opened)};
  // The umask may have removed the owner's permissions, too.
  if (::fchmod(made.file_.get(), owner_only) != 0)
    return base::io_failure(file, "set its permissions", errno, base::errc::io_failed);
  return made;
}

private_file::~private_file() {
  if (!file_) return;
  const base::as_invoker self;
  ::unlink(name_.c_str());
}

base::expected<void> private_file::write(std::string_view bytes) {
  if (auto written = write_all(file_.get(), name_, bytes); !written) return written;
  if (::fsync(file_.get()) != 0)
    return base::io_failure(name_, "sync it", errno, base::errc::io_failed);
  file_.reset();
  return {};
}

} // namespace matchcloud::cli
