#include "base/log/line_writer.hpp"

#include "base/crash_report.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

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

/// Writes `text` until `fd` fails or accepts nothing for `at_most`, which has no limit if it is
/// negative. Returns the number of bytes written.
std::size_t write_accepted(int fd, std::string_view text,
                           std::chrono::milliseconds at_most) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    pollfd writable{fd, POLLOUT, 0};
    const auto ready = ::poll(&writable, 1, static_cast<int>(at_most.count()));
    if (ready == 0) break;
    auto piece = piece_of(text.substr(done));
    // A writable pipe accepts this much without blocking.
    if (at_most.count() >= 0) piece = std::min(piece, atomic_write_bytes);
    const auto written = ready < 0 ? -1 : ::write(fd, text.data() + done, piece);
    // EAGAIN: another process made it non-blocking.
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
  }

  bool has_room(std::size_t bytes) const noexcept {
    return waiting.size() + bytes <= waiting_limit_bytes;
  }
  /// If writing fails, the note waits for the next line.
  bool has_work() const noexcept { return !waiting.empty() || (unsaid > 0 && !failing); }
  /// Whether nothing that can be written is left.
  bool is_done() const noexcept { return writing.empty() && !has_work(); }

  void drop(std::uint64_t count) noexcept {
    unsaid += count;
    metrics.dropped.add(count);
  }

  void add_note(const std::string& text) {
    waiting += text;
    if (!text.empty()) waiting_notes.push_back({waiting.size(), unsaid});
    unsaid = 0;
  }

  /// Also adds the note about lines that were dropped before.
  void append(std::string_view lines, std::uint64_t count) {
    const auto before = unsaid > 0 && has_room(lines.size()) ? note(unsaid) : std::string{};
    if (!has_room(before.size() + lines.size())) return drop(count);
    add_note(before);
    waiting += lines;
  }

  /// Moves what waits to `writing`, which is empty.
  void take() {
    if (waiting.empty()) add_note(note(unsaid));
    writing.swap(waiting);
    writing_notes.swap(waiting_notes);
  }

  /// Returns how much of `writing` is written. The mutex need not be held.
  std::size_t write_taken(std::chrono::milliseconds at_most) noexcept {
    // After a partly written line, the next one begins on a new line.
    if (torn && write_accepted(fd, "\n", at_most) == 0) return 0;
    torn = false;
    const auto done = write_accepted(fd, writing, at_most);
    torn = done > 0 && writing[done - 1] != '\n';
    return done;
  }

  /// Drops the lines after the first `done` bytes of `writing`, because the descriptor does not
  /// accept them: its disk is full or its reader is gone.
  void finish_taken(std::size_t done) {
    failing = done < writing.size();
    auto lost =
        std::count(writing.begin() + static_cast<std::ptrdiff_t>(done), writing.end(), '\n');
    for (const auto& each : writing_notes)
      if (each.end > done) {
        --lost;
        unsaid += each.lines;
      }
    drop(static_cast<std::uint64_t>(lost));
    writing.clear();
    writing_notes.clear();
  }

  /// Called whenever there may be work. If there is no thread, the caller writes. Once the reader
  /// has stalled, callers do not wait for it until it reads again.
  void go_on() {
    if (has_thread) return changed.notify_all();
    if (!has_work()) return;
    take();
    finish_taken(write_taken(failing ? std::chrono::milliseconds{0} : log_direct_limit));
  }

  void run() {
    std::unique_lock lock{mutex};
    while (true) {
      changed.wait(lock, [this] { return ending || has_work(); });
      if (!has_work()) return;
      take();
      lock.unlock();
      const auto done = write_taken(std::chrono::milliseconds{-1});
      lock.lock();
      finish_taken(done);
      changed.notify_all();
    }
  }

  /// A note in a text, and the number of lines that it mentions.
  struct told {
    std::size_t end;
    std::uint64_t lines;
  };

  const int fd;
  const drop_note note;
  const std::size_t waiting_limit_bytes;
  log_metrics metrics;
  bool has_thread = true;

  /// The thread holds it only to move memory, never during a write.
  std::mutex mutex;
  /// Signals that there is work, that it is done, or the end.
  std::condition_variable changed;
  std::string waiting;
  std::vector<told> waiting_notes;
  /// Dropped lines that no note has mentioned yet.
  std::uint64_t unsaid = 0;
  /// The last write failed.
  bool failing = false;
  bool ending = false;

  // The thread reads these during a write, without the mutex.
  std::string writing;
  std::vector<told> writing_notes;
  /// The last line was partly written.
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
  const std::lock_guard lock{shared_->mutex};
  shared_->ending = true;
  shared_->changed.notify_all();
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
  shared_->append(text, count);
  shared_->go_on();
}

void line_writer::drop() {
  const std::lock_guard lock{shared_->mutex};
  shared_->drop(1);
  shared_->go_on();
}

bool line_writer::wait_written(std::chrono::milliseconds at_most) {
  std::unique_lock lock{shared_->mutex};
  return shared_->changed.wait_for(lock, at_most, [this] { return shared_->is_done(); });
}

const log_metrics& line_writer::metrics() const noexcept {
  return shared_->metrics;
}

} // namespace matchcloud::base
