#include "base/crash_report.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace matchcloud::base {

namespace {

std::string_view line_of(int signal) noexcept {
  switch (signal) {
  case SIGSEGV: return "crash: SIGSEGV\n";
  case SIGBUS: return "crash: SIGBUS\n";
  case SIGILL: return "crash: SIGILL\n";
  case SIGFPE: return "crash: SIGFPE\n";
  case SIGABRT: return "crash: SIGABRT\n";
  default: return "crash: SIGSYS\n";
  }
}

/// Calls only what is safe in a signal handler. The signal has its usual effect again when this
/// begins, so a fault in here ends the process, too.
extern "C" void on_crash(int signal, siginfo_t* info, void*) {
  // A reader of stderr that has stalled must not keep the process from ending.
  const auto flags = ::fcntl(STDERR_FILENO, F_GETFL);
  ::fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
  const auto line = line_of(signal);
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()));
  std::array<void*, 64> frames{};
  const auto count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  ::fcntl(STDERR_FILENO, F_SETFL, flags);
  // On return, a faulting instruction runs again, so that the core shows it. A signal that a
  // process has sent must be sent again.
  if (info->si_code <= 0) static_cast<void>(::raise(signal));
}

} // namespace

void report_crashes() {
  // Loads the unwinder now, because loading it allocates.
  void* frame = nullptr;
  static_cast<void>(::backtrace(&frame, 1));
  struct sigaction report {};
  report.sa_sigaction = on_crash;
  report.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigemptyset(&report.sa_mask);
  for (const int each : crash_signals) {
    struct sigaction before {};
    if (::sigaction(each, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(each, &report, nullptr);
  }
}

} // namespace matchcloud::base
