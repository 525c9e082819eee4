#include "cli/interrupt.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace matchcloud::cli {

namespace {

/// Whether the signal is ignored: a process started with nohup should outlive the terminal.
bool is_ignored(int signal) {
  struct sigaction known {};
  return ::sigaction(signal, nullptr, &known) == 0 && known.sa_handler == SIG_IGN;
}

} // namespace

interrupt::interrupt() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  if (!is_ignored(SIGHUP)) sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, &before_);
  signals_ = base::file_descriptor{::signalfd(-1, &ends, SFD_CLOEXEC)};
  if (!signals_) throw std::system_error{errno, std::generic_category(), "signalfd"};
}

interrupt::~interrupt() {
  // Discard signals that were already handled, because a pending one would end the process when
  // unblocked.
  forget();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool interrupt::came() const {
  pollfd watched{signals_.get(), POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

void interrupt::forget() const {
  while (came()) {
    signalfd_siginfo taken{};
    static_cast<void>(!::read(signals_.get(), &taken, sizeof taken));
  }
}

bool interrupt::wait_readable(int fd) const {
  return wait_for(fd, POLLIN, -1) != outcome::signal;
}

bool interrupt::wait_readable(int fd, std::chrono::milliseconds most) const {
  return wait_for(fd, POLLIN, static_cast<int>(most.count())) == outcome::ready;
}

bool interrupt::wait_writable(int fd) const {
  return wait_for(fd, POLLOUT, -1) != outcome::signal;
}

bool interrupt::wait(std::chrono::milliseconds pause) const {
  return wait_for(-1, 0, static_cast<int>(pause.count())) != outcome::signal;
}

interrupt::outcome interrupt::wait_for(int fd, short events, int timeout_ms) const {
  std::array<pollfd, 2> watched{pollfd{signals_.get(), POLLIN, 0}, pollfd{fd, events, 0}};
  // These signals are blocked here, and no other signal that could interrupt a poll has a handler.
  while (::poll(watched.data(), watched.size(), timeout_ms) < 0 && errno == EINTR) {
  }
  if (watched[0].revents != 0) return outcome::signal;
  return watched[1].revents != 0 ? outcome::ready : outcome::timeout;
}

} // namespace matchcloud::cli
