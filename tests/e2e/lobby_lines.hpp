#pragma once

#include <cstdio>
#include <string>

namespace matchcloud::e2e {

/// So many ended lobbies of the demo's game, a line each, as `POST /v1/lobbies` takes them.
inline std::string lobby_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    char id[40];
    std::snprintf(id, sizeof id, "00000000-0000-4000-8000-%012d", i);
    lines += std::string{R"({"lobby_id":")"} + id +
             R"(","namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"fra",)"
             R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-0000000000aa",)"
             R"("version_name":"1.0","game_mode":"duel","start_ts":1000,"stop_ts":2000})"
             "\n";
  }
  return lines;
}

} // namespace matchcloud::e2e
