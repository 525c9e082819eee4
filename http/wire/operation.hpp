#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::http {

/// What a request asks for, as metrics and logs name it.
enum class operation : std::uint8_t {
  validate_version,
  validate_game,
  validate_group,
  list_regions,
  ping,
  list_avatars,
  export_lobby_history,
  download_media,
  download_export,
  /// No route, or the bytes never became a request.
  unmatched,
};
inline constexpr std::size_t operation_count = 10;

inline constexpr std::array<std::string_view, operation_count> operation_names{
    "validate_version", "validate_game",        "validate_group", "list_regions",    "ping",
    "list_avatars",     "export_lobby_history", "download_media", "download_export", "unmatched"};

} // namespace matchcloud::http
