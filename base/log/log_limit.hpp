#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace matchcloud::base {

/// Lines of one kind that are written within `log_window`; the rest is counted.
inline constexpr std::uint64_t log_lines_limit = 20;
inline constexpr std::chrono::milliseconds log_window{10'000};
/// Kinds of lines that are told apart within a window; further ones share the bound of one.
inline constexpr std::size_t log_kinds_limit = 128;

/// Bounds how often lines of one kind are logged, so that a failure that meets every request fills
/// no disk and hides nothing else. Lines are of one kind if they differ only in words with digits,
/// such as ids, numbers and addresses. One thread at a time.
class log_limit {
public:
  /// `clock` outlives this.
  explicit log_limit(const clock& clock = machine_clock()) : clock_{&clock} {}

  /// Whether a line may be written; otherwise it is counted. `level` is part of its kind.
  bool admit(int level, std::string_view line);

  /// The lines of a kind that were left out in its window.
  struct left_out {
    int level = 0;
    /// One of them.
    std::string line;
    std::uint64_t count = 0;
  };
  /// Takes what was left out in windows that are over, or in all.
  std::vector<left_out> take_over(bool all = false);

private:
  struct window {
    steady_time until;
    std::uint64_t written = 0;
    left_out rest;
  };

  static std::string kind_of(int level, std::string_view line);

  const clock* clock_;
  std::unordered_map<std::string, window> kinds_;
};

/// `120 more lines like this within 10 s: ..`
std::string describe(const log_limit::left_out& lines);

} // namespace matchcloud::base
