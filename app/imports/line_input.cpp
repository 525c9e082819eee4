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

[[noreturn]] void fail_line_input(const char* operation) {
  throw base::failure{base::errc::io_failed, std::string{"cannot be "} + operation + ": " +
                                                 std::generic_category().message(errno)};
}

} // namespace

base::failure interrupted() {
  return {base::errc::io_failed,
          "interrupted; what was written stays. Run the same import again to complete it"};
}

line_input line_input::open(const std::string& file) {
  const base::as_invoker self;
  line_input opened;
  if (file != "-") {
    opened.file_ = base::file_descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!opened.file_) fail_line_input("opened");
    opened.fd_ = opened.file_.get();
  }
  struct stat found {};
  if (::fstat(opened.fd_, &found) == 0 && S_ISREG(found.st_mode))
    opened.size_bytes_ = static_cast<std::uint64_t>(found.st_size);
  opened.block_.resize(block_bytes);
  return opened;
}

void line_input::read(const cli::interrupt& until,
                      const std::function<void(model::input_line)>& take,
                      const std::function<void()>& on_block) {
  while (true) {
    if (!until.wait_readable(fd_)) throw interrupted();
    const auto got = read_block();
    if (got == 0) break;
    splitter_.feed({block_.data(), got});
    while (const auto line = splitter_.next())
      take(*line);
    on_block();
  }
  if (const auto line = splitter_.last()) take(*line);
}

std::size_t line_input::read_block() {
  ssize_t got = 0;
  do {
    got = ::read(fd_, block_.data(), block_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_line_input("read");
  read_bytes_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

} // namespace matchcloud::app
