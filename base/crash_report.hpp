#pragma once

#include <array>
#include <csignal>

namespace matchcloud::base {

inline constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};

/// Reports crashes from now on, as lines on stderr with the signal and the stack. Then the signal
/// has its usual effect (a core dump, the wait status). Signals that already have a handler, such
/// as a sanitizer's, keep it. docs/operating.md explains how to read the report.
void report_crashes();

} // namespace matchcloud::base
