#include "http/front/routes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace matchcloud::http {

namespace {

/// The longest path has this many segments; one more tells that a path is longer than all.
constexpr std::size_t segment_limit = 6;
constexpr std::string_view game_id_segment = "{game_id}";
constexpr std::string_view upload_id_segment = "{upload_id}";
constexpr std::string_view file_name_segment = "{file_name}";
constexpr std::string_view export_id_segment = "{export_id}";

struct pattern {
  http::operation operation;
  http::method method;
  std::array<std::string_view, segment_limit> segments;
};

constexpr std::array<pattern, 9> patterns{{
    {operation::list_regions, method::get, {"matchmaker", "regions"}},
    {operation::ping, method::get, {"ping"}},
    {operation::validate_group, method::post, {"cloud", "groups", "validate"}},
    {operation::validate_game, method::post, {"cloud", "games", "validate"}},
    {operation::validate_version,
     method::post,
     {"cloud", "games", game_id_segment, "versions", "validate"}},
    {operation::list_avatars, method::get, {"cloud", "games", game_id_segment, "avatars"}},
    {operation::download_media,
     method::get,
     {"media", "avatars", upload_id_segment, file_name_segment}},
    {operation::export_lobby_history,
     method::post,
     {"cloud", "games", game_id_segment, "matchmaker", "lobbies", "export-history"}},
    {operation::download_export, method::get, {"exports", export_id_segment, "lobby-history.csv"}},
}};

using segment_list = std::array<std::string_view, segment_limit>;

/// Splits at slashes; false where there are more segments than any pattern has.
bool split(std::string_view path, segment_list& into) noexcept {
  std::size_t count = 0;
  while (!path.empty()) {
    path.remove_prefix(1); // the slash
    const auto end = std::min(path.find('/'), path.size());
    if (count == into.size() || end == 0) return false;
    into[count++] = path.substr(0, end);
    path.remove_prefix(end);
  }
  return true;
}

bool matches(const pattern& candidate, const segment_list& segments) noexcept {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (candidate.segments[i].starts_with('{')) {
      if (segments[i].empty()) return false;
    } else if (candidate.segments[i] != segments[i]) {
      return false;
    }
  }
  return true;
}

route route_of(const pattern& found, const segment_list& segments) {
  route result{found.operation, found.method, {}, {}, {}, {}};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto name = found.segments[i];
    if (name == game_id_segment) result.game_id = segments[i];
    if (name == upload_id_segment) result.upload_id = segments[i];
    if (name == file_name_segment) result.file_name = segments[i];
    if (name == export_id_segment) result.export_id = segments[i];
  }
  return result;
}

tl::unexpected<base::error> not_found(std::string_view path) {
  return base::fail(base::errc::route_not_found,
                    "No operation has the path \"" + std::string{path.substr(0, 128)} +
                        "\". Compare it with the specification, letter case included.");
}

} // namespace

std::string_view route::allow() const noexcept {
  return method == method::get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
}

bool route::allows(http::method asked) const noexcept {
  return asked == method || asked == method::options ||
         (asked == method::head && method == method::get);
}

base::expected<route> find_route(std::string_view path, std::string_view base_path) {
  const auto whole = path;
  if (!path.starts_with(base_path)) return not_found(whole);
  path.remove_prefix(base_path.size());
  if (!path.starts_with('/')) return not_found(whole);

  segment_list segments;
  if (!split(path, segments)) return not_found(whole);

  // Decoded segments live here; most paths have none.
  std::array<std::string, segment_limit> decoded;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].find('%') == std::string_view::npos) continue;
    auto plain = percent_decode(segments[i]);
    if (!plain) return tl::unexpected(std::move(plain).error());
    decoded[i] = *std::move(plain);
    segments[i] = decoded[i];
  }
  for (const auto& candidate : patterns)
    if (matches(candidate, segments)) return route_of(candidate, segments);
  return not_found(whole);
}

base::expected<std::string> percent_decode(std::string_view segment) {
  std::string plain;
  plain.reserve(segment.size());
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      plain.push_back(segment[i]);
      continue;
    }
    const auto digits = segment.substr(i + 1, 2);
    unsigned byte = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || status != std::errc{} || end != digits.data() + 2)
      return base::fail(base::errc::target_malformed,
                        "A percent sign in the path must be followed by two hexadecimal digits; "
                        "a percent sign itself is %25.");
    if (byte < 0x20 || byte == 0x7F)
      return base::fail(base::errc::target_malformed,
                        "The path hides a control character behind a percent sign.");
    plain.push_back(static_cast<char>(byte));
    i += 2;
  }
  return plain;
}

} // namespace matchcloud::http
