#pragma once

#include "base/expected.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// How long `tidy` waits for others.
inline constexpr std::chrono::milliseconds tidy_wait{500};

/// The role of keeping a store from growing beyond what it holds. What any role's calls have in
/// common stands at `session`.
class maintenance {
public:
  virtual ~maintenance() = default;

  /// Bytes on disk that are acknowledged but not yet tidied away: they cost readers time and the
  /// disk room. 0 for an engine that tidies up by itself.
  virtual std::uint64_t backlog_bytes() = 0;
  /// Tidies all of them away; false where others, who read or write, kept it from that for
  /// `tidy_wait`.
  virtual base::expected<bool> tidy() = 0;
};

} // namespace matchcloud::store
