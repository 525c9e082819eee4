#pragma once

#include <source_location>

namespace matchcloud::base {

/// Ends the process (SIGABRT) after saying on stderr what does not hold, and where.
[[noreturn]] void fail_check(const char* what, const std::source_location& where) noexcept;

/// What memory safety or the bounds of the process stand on, in every build: for what no input can
/// bring about. Going on would be worse than to end. Costs a branch that is predicted.
inline void check(bool holds, const char* what,
                  const std::source_location& where = std::source_location::current()) noexcept {
  if (!holds) [[unlikely]]
    fail_check(what, where);
}

} // namespace matchcloud::base
