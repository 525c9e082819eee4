#pragma once

#include "base/config_row.hpp"

#include <cstddef>

namespace matchcloud::actors {

struct avatar_limits {
  /// The limit on cached rendered lists, for all event loops together.
  std::size_t cache_limit_bytes = 256UL * 1024 * 1024;
  /// The longest list that is rendered; longer lists fail with `list_too_large`.
  std::size_t list_limit_bytes = 64UL * 1024 * 1024;
};

inline base::config_rows<avatar_limits> avatar_keys() {
  return {
      base::number_row("avatar-cache-bytes", &avatar_limits::cache_limit_bytes, 0, base::tebibyte,
                       "Memory for rendered avatar lists, which all event loops share."),
      base::number_row("avatar-list-limit-bytes", &avatar_limits::list_limit_bytes, 1'024,
                       1'024 * base::mebibyte,
                       "One game's rendered avatar list; beyond: 500 list_too_large."),
  };
}

} // namespace matchcloud::actors
