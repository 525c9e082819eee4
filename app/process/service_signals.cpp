#include "app/process/service_signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace matchcloud::app {

namespace {

bool has_handler(int signal, void (*handler)(int)) {
  struct sigaction known {};
  return ::sigaction(signal, nullptr, &known) == 0 && (known.sa_flags & SA_SIGINFO) == 0 &&
         known.sa_handler == handler;
}

/// The signals that are only noted. A blocked signal is kept even where it is ignored.
sigset_t noted() {
  sigset_t all;
  sigemptyset(&all);
  if (!has_handler(SIGHUP, SIG_IGN)) sigaddset(&all, SIGHUP);
  sigaddset(&all, SIGUSR1);
  sigaddset(&all, SIGUSR2);
  sigaddset(&all, SIGCHLD);
  const auto add = [&all](int signal) {
    if (has_handler(signal, SIG_DFL)) sigaddset(&all, signal);
  };
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT})
    add(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
    add(signal);
  return all;
}

sigset_t ending() {
  sigset_t all;
  sigemptyset(&all);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT})
    sigaddset(&all, signal);
  return all;
}

/// Blocks the signals and returns a descriptor that they are read from.
base::file_descriptor block(const sigset_t& signals) {
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  base::file_descriptor made{::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!made) throw std::system_error{errno, std::generic_category(), "signalfd"};
  return made;
}

std::optional<noted_signal> take(const base::file_descriptor& from) {
  signalfd_siginfo taken{};
  if (::read(from.get(), &taken, sizeof taken) != sizeof taken) return std::nullopt;
  const bool is_queued = taken.ssi_code == SI_QUEUE;
  return noted_signal{static_cast<int>(taken.ssi_signo), is_queued ? taken.ssi_int : 0};
}

} // namespace

service_signals::service_signals()
    : ending_{ending()}, ending_fd_{block(ending_)}, noted_fd_{block(noted())} {}

void service_signals::unblock_ending() const {
  pthread_sigmask(SIG_UNBLOCK, &ending_, nullptr);
}

bool service_signals::ends() const {
  pollfd watched{ending_fd_.get(), POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

std::optional<int> service_signals::take_ending() const {
  const auto taken = take(ending_fd_);
  return taken ? std::optional{taken->number} : std::nullopt;
}

std::optional<noted_signal> service_signals::take_noted() const {
  return take(noted_fd_);
}

std::string name_of_signal(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : "SIG" + std::string{name};
}

} // namespace matchcloud::app
