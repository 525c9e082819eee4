#include "base/log/line_writer.hpp"

#include "base/crash_report.hpp"

#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace matchcloud::base {

namespace {

/// The number of bytes that a pipe accepts in one piece, so that lines of other processes do not
/// split ours (pipe(7)).
constexpr std::size_t atomic_write_bytes = 4'096;
constexpr std::string_view cut_line_end = " ..\n";

/// Blocks every signal except crashes in the calling thread, and so in the threads that it starts.
/// A crash while its signal is blocked would end the process without a report.
class blocked_signals {
public:
  blocked_signals() {
    sigset_t all;
    sigfillset(&all);
    for (const int each : crash_signals)
      sigdelset(&all, each);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

/// The length of the whole lines at the beginning of `text` that a pipe accepts in one piece; at
/// least one line.
std::size_t piece_of(std::string_view text) noexcept {
  if (text.size() <= atomic_write_bytes) return text.size();
  const auto end = text.substr(0, atomic_write_bytes).rfind('\n');
  if (end != std::string_view::npos) return end + 1;
  return std::min(text.find('\n', atomic_write_bytes), text.size() - 1) + 1;
}

/// Waits as long as necessary. Returns the number of bytes written: all, unless writing fails.
std::size_t write_whole(int fd, std::string_view text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto rest = text.substr(done);
    const auto written = ::write(fd, rest.data(), piece_of(rest));
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
      continue;
    }
    if (errno == EAGAIN) { // another process made it non-blocking
      pollfd writable{fd, POLLOUT, 0};
      static_cast<void>(::poll(&writable, 1, -1));
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

/// Writes as much of `text` as `fd` accepts within `at_most`. Returns the number of bytes written.
std::size_t write_within(int fd, std::string_view text,
                         std::chrono::milliseconds at_most) noexcept {
  const auto until = std::chrono::steady_clock::now() + at_most;
  std::size_t done = 0;
  while (done < text.size()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd writable{fd, POLLOUT, 0};
    const auto ready = ::poll(
        &writable, 1, static_cast<int>(std::max(left, std::chrono::milliseconds{0}).count()));
    if (ready == 0) break;
    const auto rest = text.substr(done);
    // A writable pipe accepts this much without blocking.
    const auto written =
        ready < 0 ? -1 : ::write(fd, rest.data(), std::min(piece_of(rest), atomic_write_bytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) break;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return done;
}

} // namespace

struct line_writer::shared {
  shared(int to, drop_note how, std::size_t limit)
      : fd{to}, note{std::move(how)}, waiting_limit_bytes{limit} {
    // Reserve the full limit now; the pages become real memory only when needed.
    waiting.reserve(limit);
    writing.reserve(limit);
    sem_init(&wake, 0, 0);
  }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
  ~shared() { sem_destroy(&wake); }

  struct told {
    std::uint64_t notes = 0;
    std::uint64_t lines = 0;
  };

  bool has_room(std::size_t bytes) const noexcept {
    return waiting.size() + bytes <= waiting_limit_bytes;
  }

  /// Also adds the note about lines that were dropped before.
  void append(std::string_view lines, std::uint64_t count) {
    std::string before;
    if (unsaid > 0 && has_room(lines.size())) before = note(unsaid);
    if (!has_room(before.size() + lines.size())) {
      unsaid += count;
      metrics.dropped.add(count);
      return;
    }
    const bool was_empty = waiting.empty();
    waiting += before;
    waiting += lines;
    if (unsaid > 0) count_note();
    if (was_empty) sem_post(&wake);
  }

  void count_note() noexcept {
    said.lines += std::exchange(unsaid, 0);
    ++said.notes;
  }

  /// Called by the writers if there is no thread. Once the reader has stalled, writers do not wait
  /// for it until it reads again.
  void write_here(std::string_view lines, std::uint64_t count) {
    std::string text = torn ? "\n" : "";
    if (unsaid > 0) text += note(unsaid);
    const auto before = text.size();
    text += lines;
    const auto done =
        write_within(fd, text, failing ? std::chrono::milliseconds{0} : log_direct_limit);
    failing = done < text.size();
    if (done > 0) torn = text[done - 1] != '\n';
    if (done >= before) unsaid = 0;
    if (!failing) return;
    unsaid += count;
    metrics.dropped.add(count);
  }

  /// Whether nothing that can be written is left.
  bool is_done() const noexcept {
    return !has_thread || (waiting.empty() && !busy && (unsaid == 0 || failing));
  }

  enum class turn : std::uint8_t { write, wait, end };

  /// Called by the thread: returns its next step and fills `writing`.
  turn take() {
    const std::lock_guard lock{mutex};
    busy = false;
    // If writing fails, the note waits for the next line.
    if (waiting.empty() && unsaid > 0 && !failing) {
      waiting += note(unsaid);
      count_note();
    }
    if (waiting.empty()) {
      idle.notify_all();
      return ending ? turn::end : turn::wait;
    }
    writing.clear();
    writing.swap(waiting);
    saying = std::exchange(said, {});
    busy = true;
    return turn::write;
  }

  /// Called by the thread. Lines that the descriptor does not accept, because its disk is full or
  /// its reader is gone, count as dropped.
  void write_taken() {
    // After a partly written line, the next one begins on a new line.
    if (std::exchange(torn, false)) static_cast<void>(write_whole(fd, "\n"));
    const auto done = write_whole(fd, writing);
    const bool fails = done < writing.size();
    if (!fails) {
      const std::lock_guard lock{mutex};
      failing = false;
      return;
    }
    torn = done > 0 && writing[done - 1] != '\n';
    const auto left = static_cast<std::uint64_t>(
        std::count(writing.begin() + static_cast<std::ptrdiff_t>(done), writing.end(), '\n'));
    // A note among the lines that were written before the failure is taken for one of the others.
    const auto lost = left - std::min(left, saying.notes);
    metrics.dropped.add(lost);
    const std::lock_guard lock{mutex};
    failing = true;
    unsaid += lost + saying.lines;
  }

  void run() {
    while (true) {
      const auto next = take();
      if (next == turn::write) write_taken();
      if (next == turn::end) return;
      if (next == turn::wait)
        while (sem_wait(&wake) != 0) {
        }
    }
  }

  const int fd;
  const drop_note note;
  const std::size_t waiting_limit_bytes;
  log_metrics metrics;
  bool has_thread = true;

  /// Held only to move memory, never during a write.
  std::mutex mutex;
  /// Signals that nothing is waiting and nothing is being written.
  std::condition_variable idle;
  std::string waiting;
  /// Dropped lines that no note has mentioned yet.
  std::uint64_t unsaid = 0;
  /// The notes in `waiting`, and the number of lines that they mention.
  told said;
  bool busy = false;
  /// The last write failed.
  bool failing = false;
  bool ending = false;
  /// Posted when `waiting` gets its first line or a line is dropped, and at the end.
  sem_t wake{};

  // Used only by the thread.
  std::string writing;
  told saying;
  /// If there is no thread, guarded by `mutex`.
  bool torn = false;
};

line_writer::line_writer(int fd, drop_note note, std::size_t waiting_limit_bytes)
    : shared_{std::make_shared<shared>(fd, std::move(note), waiting_limit_bytes)} {
  const blocked_signals during_start;
  try {
    std::thread{[with = shared_] { with->run(); }}.detach();
  } catch (const std::system_error&) {
    shared_->has_thread = false;
  }
}

line_writer::~line_writer() {
  end();
}

void line_writer::end() {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->ending = true;
  }
  sem_post(&shared_->wake);
}

void line_writer::write(std::string_view line) {
  std::string cut;
  if (line.size() > log_line_limit_bytes) {
    auto end = log_line_limit_bytes - cut_line_end.size();
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
      --end; // do not cut within a character
    cut.append(line.substr(0, end)).append(cut_line_end);
    line = cut;
  }
  write_lines(line, 1);
}

void line_writer::write_lines(std::string_view text, std::uint64_t count) {
  const std::lock_guard lock{shared_->mutex};
  if (shared_->has_thread)
    shared_->append(text, count);
  else
    shared_->write_here(text, count);
}

void line_writer::drop() {
  const std::lock_guard lock{shared_->mutex};
  ++shared_->unsaid;
  shared_->metrics.dropped.add();
  sem_post(&shared_->wake);
}

bool line_writer::wait_written(std::chrono::milliseconds at_most) {
  std::unique_lock lock{shared_->mutex};
  return shared_->idle.wait_for(lock, at_most, [this] { return shared_->is_done(); });
}

const log_metrics& line_writer::metrics() const noexcept {
  return shared_->metrics;
}

} // namespace matchcloud::base
