#include "app/plans/load_child.hpp"

#include "app/process/spawn.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr const char* load_program = "matchcloud-load";

std::string content_of(int fd) {
  std::string all;
  std::array<char, 16 * 1'024> room;
  for (ssize_t got = 0;
       (got = ::pread(fd, room.data(), room.size(), static_cast<off_t>(all.size()))) > 0;)
    all.append(room.data(), static_cast<std::size_t>(got));
  return all;
}

/// A descriptor that is readable once the process has ended (pidfd_open(2)); glibc 2.36 declares
/// its function only for C.
int open_process(pid_t process) {
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
}

} // namespace

base::expected<load_child> load_child::start(const std::string& program,
                                             std::vector<std::string> arguments) {
  load_child made;
  made.output_ = base::file_descriptor{::memfd_create("load-report", MFD_CLOEXEC)};
  made.errors_ = base::file_descriptor{::memfd_create("load-errors", MFD_CLOEXEC)};
  arguments.insert(arguments.begin(), program);
  const int failure =
      spawn({program, arguments, {}, made.output_.get(), made.errors_.get()}, made.process_);
  if (failure != 0) {
    made.process_ = 0;
    return base::fail(base::errc::io_failed,
                      "cannot start " + program + ": " + std::generic_category().message(failure) +
                          ". Build it with script/build release matchcloud-load, or name it with "
                          "--load-program.");
  }
  made.ended_ = base::file_descriptor{open_process(made.process_)};
  return made;
}

load_child::load_child(load_child&& other) noexcept
    : process_{std::exchange(other.process_, 0)},
      ended_{std::move(other.ended_)},
      output_{std::move(other.output_)},
      errors_{std::move(other.errors_)},
      exit_code_{other.exit_code_} {}

load_child::~load_child() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool load_child::wait(const cli::interrupt& until, std::chrono::milliseconds most) {
  if (process_ == 0) return true;
  if (!until.wait_readable(ended_.get(), most)) return false;
  int status = 0;
  if (::waitpid(process_, &status, 0) == process_)
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  process_ = 0;
  return true;
}

void load_child::stop() const noexcept {
  if (process_ != 0) ::kill(process_, SIGINT);
}

std::string load_child::output() const {
  return content_of(output_.get());
}

std::string load_child::errors() const {
  return content_of(errors_.get());
}

std::string usual_load_program() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto beside = here / load_program;
  return std::filesystem::exists(beside, ignored) ? beside.string() : load_program;
}

} // namespace matchcloud::app
