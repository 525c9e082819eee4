#include "app/plans/load_child.hpp"

#include "app/process/spawn.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "cli/command.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace matchcloud::app {

namespace {

constexpr std::size_t output_limit_bytes = 256UL * 1024 * 1024;

[[noreturn]] void refuse_start(const std::string& what, int why, const char* advice) {
  cli::give_up("cannot start " + what + ": " + std::generic_category().message(why) + advice);
}

} // namespace

process_guard::process_guard(pid_t process, int signal, std::chrono::seconds most)
    : process_{process}, signal_{signal} {
  const auto guarded = ::getpid();
  guard_ = ::fork();
  if (guard_ < 0) refuse_start("a guard", errno, "");
  if (guard_ > 0) return;
  // Nothing but system calls here: the memory is a copy of what other code was using.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  ::setsid(); // signals for the terminal's group are not for the guard
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const timespec bound{most.count(), 0};
  // Being stopped and continued, or a signal from somebody else, is not the end of the runner.
  while (::getppid() == guarded && (sigtimedwait(&ends, nullptr, &bound) > 0 || errno == EINTR)) {
  }
  ::kill(process, signal);
  ::_exit(0);
}

process_guard::~process_guard() {
  ::kill(guard_, SIGKILL);
  ::waitpid(guard_, nullptr, 0);
  ::kill(process_, signal_);
}

load_child::load_child(const std::string& program, std::vector<std::string> arguments,
                       std::chrono::seconds most)
    : output_{::memfd_create("load-report", MFD_CLOEXEC)},
      errors_{::memfd_create("load-errors", MFD_CLOEXEC)} {
  arguments.insert(arguments.begin(), program);
  const int failure = spawn({program, arguments, output_.get(), errors_.get()}, process_);
  if (failure != 0)
    refuse_start(program, failure,
                 ". Build it with script/build release matchcloud-load, or name it with "
                 "--load-program.");
  // pidfd_open(2); glibc 2.36 declares its function only for C.
  ended_ = base::file_descriptor{static_cast<int>(::syscall(SYS_pidfd_open, process_, 0))};
  try {
    guard_.emplace(process_, SIGKILL, most);
  } catch (...) {
    // The destructor does not run.
    ::kill(process_, SIGKILL);
    reap();
    throw;
  }
}

bool load_child::wait(const cli::interrupt& until, std::chrono::milliseconds most) {
  if (!until.wait_readable(ended_.get(), most)) return false;
  reap();
  return true;
}

void load_child::stop() const noexcept {
  if (process_ != 0) ::kill(process_, SIGINT);
}

void load_child::reap() noexcept {
  if (process_ == 0) return;
  guard_.reset(); // kills it, if it still runs
  int status = 0;
  ::waitpid(process_, &status, 0);
  if (WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
  process_ = 0;
}

std::string load_child::content_of(const base::file_descriptor& of) {
  return base::value_of(
      cli::read_bounded_file("/proc/self/fd/" + std::to_string(of.get()), output_limit_bytes));
}

} // namespace matchcloud::app
