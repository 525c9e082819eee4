#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string_view>

/// What is said of a crash: lines on stderr with the signal, the thread, the program's version and
/// the stack, as module and offset for addr2line. Then the signal does what it does without this
/// (a core, the wait status). docs/operating.md says how to read them.
namespace matchcloud::base {

/// Writes the report of a crash after all lines that wait before it.
class last_words_writer {
public:
  virtual ~last_words_writer() = default;

  enum class result : std::uint8_t {
    written,
    /// The reader takes nothing, so nobody else should try.
    stalled,
    /// The crashed thread holds what the writer needs, or is the writer.
    unable
  };
  /// Called once, in a signal handler: calls async-signal-safe functions only. `text` is whole
  /// lines, and stays for as long as the process runs. Waits for `at_most`.
  virtual result write_last(std::string_view text, std::chrono::milliseconds at_most) noexcept = 0;
};

inline constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};

/// From now on crashes are reported, those of exceptions that nobody catches too. Signals that
/// something else handles already are left to it. Does nothing under sanitizers, which have reports
/// of their own. The calling thread gets what `guard_stack` gives.
void report_crashes();

/// Gives the calling thread memory for the report of a crash in which its own stack is used up;
/// without it such a crash leaves no lines. Lasts until the thread ends.
void guard_stack() noexcept;

/// Who writes reports from now on; null: the crashed thread itself. Outlives its use.
void write_crashes_by(last_words_writer* writer) noexcept;

/// Ends the process with SIGABRT. `why` stands in the report, or on stderr where there is none.
[[noreturn]] void crash(std::string_view why) noexcept;

} // namespace matchcloud::base
