#pragma once

#include <string>
#include <string_view>

namespace matchcloud::base {

/// What this program is and was built from.
struct build_info {
  std::string_view name;
  std::string_view version;
  /// The commit, with `-dirty` where the tree differed from it; `unknown` outside a repository.
  std::string_view commit;
  /// The build type of CMake, such as `Release`.
  std::string_view build_type;
};

/// As `0.1.0 (commit 0123456789ab, Release)`.
std::string describe(const build_info& of);

/// CMake generates this at each build. Any thread.
const build_info& built() noexcept;

} // namespace matchcloud::base
