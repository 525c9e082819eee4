#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace matchcloud::e2e {

/// An ended lobby of the demo's game, a line as `POST /v1/lobbies` takes it. Its id begins with the
/// eight digits `begin` and ends in `number`.
inline std::string lobby_line(std::size_t number, const char* begin = "00000000") {
  char id[40];
  std::snprintf(id, sizeof id, "%s-0000-4000-8000-%012zu", begin, number);
  return std::string{R"({"lobby_id":")"} + id +
         R"(","namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"fra",)"
         R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-0000000000aa",)"
         R"("version_name":"1.0","game_mode":"duel","start_ts":1000,"stop_ts":2000})"
         "\n";
}

/// `count` of these lines.
inline std::string lobby_lines(std::size_t count) {
  std::string lines;
  for (std::size_t number = 0; number < count; ++number)
    lines += lobby_line(number);
  return lines;
}

} // namespace matchcloud::e2e
