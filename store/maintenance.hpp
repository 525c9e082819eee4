#pragma once

#include "base/expected.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// How long `tidy` waits for readers and writers.
inline constexpr std::chrono::milliseconds tidy_wait{500};

/// The role of keeping a store's backlog small. See `session` for what the calls of all roles have
/// in common.
class maintenance {
public:
  virtual ~maintenance() = default;

  /// Bytes on disk that are acknowledged but not yet tidied up; they slow readers down and take
  /// disk space. 0 for an engine that tidies up by itself.
  virtual std::uint64_t backlog_bytes() = 0;
  /// Tidies up the whole backlog. Returns false if readers or writers prevented that for
  /// `tidy_wait`.
  virtual base::expected<bool> tidy() = 0;
};

} // namespace matchcloud::store
