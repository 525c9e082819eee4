#pragma once

namespace matchcloud::base {

/// Ends the process (SIGABRT) after saying on stderr what does not hold, and where.
[[noreturn]] void fail_check(const char* what, const char* file, unsigned line) noexcept;

/// What memory safety or the bounds of the process stand on, in every build: for what no input can
/// bring about. Going on would be worse than to end. Costs a branch that is predicted. File and
/// line are the caller's (clang 14 has no std::source_location).
inline void check(bool holds, const char* what, const char* file = __builtin_FILE(),
                  unsigned line = __builtin_LINE()) noexcept {
  if (!holds) [[unlikely]]
    fail_check(what, file, line);
}

} // namespace matchcloud::base
