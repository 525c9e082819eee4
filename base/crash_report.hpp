#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string_view>

/// The report of a crash: lines on stderr with the signal, the thread, the program's version and
/// the stack, as module and offset for addr2line. Then the signal has its usual effect (a core, the
/// wait status). docs/operating.md explains how to read the report.
namespace matchcloud::base {

/// Writes the report of a crash after all lines that are queued before it.
class last_words_writer {
public:
  virtual ~last_words_writer() = default;

  enum class result : std::uint8_t {
    written,
    /// The reader accepts nothing, so no other writer should try.
    stalled,
    /// The crashed thread holds what the writer needs, or is the writer.
    unable
  };
  /// Called once, in a signal handler, so it calls only async-signal-safe functions. `text` is
  /// whole lines and lives as long as the process. Waits for `at_most`.
  virtual result write_last(std::string_view text, std::chrono::milliseconds at_most) noexcept = 0;
};

inline constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};

/// Reports crashes from now on, including uncaught exceptions. Signals that already have a handler
/// keep it. Does nothing under sanitizers, which write their own reports. Also calls `guard_stack`
/// for the calling thread.
void report_crashes();

/// Gives the calling thread memory for the report of a stack overflow; without it, such a crash
/// leaves no report. Lasts until the thread ends.
void guard_stack() noexcept;

/// Sets the writer of reports, which must outlive its use; null: the crashed thread writes them.
void write_crashes_by(last_words_writer* writer) noexcept;

/// Ends the process with SIGABRT. `why` is in the report, or on stderr if there is no report.
[[noreturn]] void crash(std::string_view why) noexcept;

} // namespace matchcloud::base
