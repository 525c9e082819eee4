#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// Shows on a terminal how far a command is, in one line that it writes again and again; nothing
/// where stderr is none. One thread.
class import_progress {
public:
  explicit import_progress(const base::clock& clock);
  ~import_progress();
  import_progress(const import_progress&) = delete;
  import_progress& operator=(const import_progress&) = delete;

  /// Begins a step: "checked", of `whole` (bytes, rows) if that is known.
  void begin(std::string_view what, std::optional<std::uint64_t> whole);
  /// `count` lines are done, which is `part` of the whole. Writes at most a few times a second.
  void show(std::uint64_t count, std::uint64_t part);
  /// Wipes the line.
  void clear();

private:
  const base::clock* clock_;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  std::optional<std::uint64_t> whole_;
  base::steady_time begun_;
  base::steady_time last_;
};

} // namespace matchcloud::app
