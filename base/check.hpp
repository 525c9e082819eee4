#pragma once

namespace matchcloud::base {

/// Prints the failed condition and its location to stderr, then ends the process (SIGABRT).
[[noreturn]] void fail_check(const char* what, const char* file, unsigned line) noexcept;

/// Asserts, in every build, a condition that memory safety or the bounds of the process depend on.
/// No input can violate it, so continuing would be worse than aborting. Costs one predicted branch.
/// `file` and `line` are the caller's (clang 14 has no std::source_location).
inline void check(bool holds, const char* what, const char* file = __builtin_FILE(),
                  unsigned line = __builtin_LINE()) noexcept {
  if (!holds) [[unlikely]]
    fail_check(what, file, line);
}

} // namespace matchcloud::base
