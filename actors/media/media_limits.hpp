#pragma once

#include "base/config_row.hpp"

#include <cstddef>

namespace matchcloud::actors {

struct media_limits {
  /// Image files kept open although no request reads them, per event loop.
  std::size_t open_files = 256;
};

inline base::config_rows<media_limits> media_keys() {
  return {base::number_row("media-open-files", &media_limits::open_files, 1, 65'536,
                           "Image files kept open for the next reader, per event loop; each is a "
                           "descriptor.")};
}

} // namespace matchcloud::actors
