#include "app/imports/line_input.hpp"

#include "base/files/working_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace matchcloud::app {

namespace {

constexpr std::size_t block_bytes = 256UL * 1024;

tl::unexpected<base::error> failure(const char* operation) {
  return base::fail(base::errc::io_failed, std::string{"cannot be "} + operation + ": " +
                                               std::generic_category().message(errno));
}

} // namespace

base::error interrupted() {
  return {base::errc::io_failed,
          "interrupted; what was written stays. Run the same import again to complete it"};
}

base::expected<line_input> line_input::open(const std::string& file) {
  const base::as_invoker self;
  line_input opened;
  if (file != "-") {
    opened.file_ = base::file_descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!opened.file_) return failure("opened");
    opened.fd_ = opened.file_.get();
  }
  struct stat found {};
  if (::fstat(opened.fd_, &found) == 0 && S_ISREG(found.st_mode))
    opened.size_bytes_ = static_cast<std::uint64_t>(found.st_size);
  opened.block_.resize(block_bytes);
  return opened;
}

base::expected<void>
line_input::read(const cli::interrupt& until,
                 const std::function<base::expected<void>(model::input_line)>& take,
                 const std::function<void()>& on_block) {
  while (true) {
    if (!until.wait_readable(fd_)) return tl::unexpected(interrupted());
    const auto got = read_block();
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    splitter_.feed({block_.data(), *got});
    while (const auto line = splitter_.next())
      if (auto taken = take(*line); !taken) return taken;
    on_block();
  }
  if (const auto line = splitter_.last()) return take(*line);
  return {};
}

base::expected<std::size_t> line_input::read_block() {
  ssize_t got = 0;
  do {
    got = ::read(fd_, block_.data(), block_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return failure("read");
  read_bytes_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

} // namespace matchcloud::app
