#include "http/front/routes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace matchcloud::http {

namespace {

/// The segments of a path.
struct path_parts {
  std::array<std::string_view, path_segment_limit> segments;
  std::size_t count = 0;
};

/// Splits at slashes; nothing where a segment is empty or there are more segments than any
/// operation has.
constexpr std::optional<path_parts> split(std::string_view path) noexcept {
  path_parts made;
  if (path == "/") return made; // the root has no segments
  while (!path.empty()) {
    path.remove_prefix(1); // the slash
    const auto end = std::min(path.find('/'), path.size());
    if (made.count == path_segment_limit || end == 0) return std::nullopt;
    made.segments[made.count++] = path.substr(0, end);
    path.remove_prefix(end);
  }
  return made;
}

/// The paths of `operations`, split into segments.
constexpr auto patterns = [] {
  std::array<path_parts, operation_count> all{};
  for (std::size_t i = 0; i < operation_count; ++i)
    all[i] = *split(operations[i].path);
  return all;
}();

constexpr bool is_parameter(std::string_view segment) noexcept {
  return segment.starts_with('{');
}

bool matches(const path_parts& pattern, const path_parts& path) noexcept {
  if (pattern.count != path.count) return false;
  for (std::size_t i = 0; i < path.count; ++i)
    if (!is_parameter(pattern.segments[i]) && pattern.segments[i] != path.segments[i]) return false;
  return true;
}

/// The paths of the ops plane, for people: `/healthz, /readyz, ..`.
std::string ops_paths() {
  std::string all;
  std::string_view last;
  for (const auto& row : operations) {
    const bool is_short = std::ranges::count(row.path, '/') == 1;
    if (row.plane != plane::ops || row.path == last || !is_short) continue;
    last = row.path;
    all.append(all.empty() ? "" : ", ").append(row.path);
  }
  return all + " and the paths below /v1 that GET /openapi.json lists. Faults exist only with "
               "--enable-fault-injection.";
}

tl::unexpected<base::error> not_found(std::string_view path, plane of) {
  return tl::unexpected(no_such_path(path, of));
}

} // namespace

base::expected<route> find_route(std::string_view path, std::string_view base_path, plane of) {
  const auto whole = path;
  if (!path.starts_with(base_path)) return not_found(whole, of);
  path.remove_prefix(base_path.size());
  if (!path.starts_with('/')) return not_found(whole, of);

  auto parts = split(path);
  if (!parts) return not_found(whole, of);
  route result;
  if (path.find('%') != path.npos) {
    result.decoded = std::make_unique<std::array<std::string, path_segment_limit>>();
    for (std::size_t i = 0; i < parts->count; ++i) {
      auto plain = percent_decode(parts->segments[i]);
      if (!plain) return tl::unexpected(std::move(plain).error());
      parts->segments[i] = (*result.decoded)[i] = *std::move(plain);
    }
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto& row = operations[i];
    if (!matches(patterns[i], *parts) || row.plane != of || row.path.empty()) continue;
    result.row = &row;
    std::size_t next = 0;
    for (std::size_t at = 0; at < parts->count; ++at)
      if (is_parameter(patterns[i].segments[at])) result.parameters[next++] = parts->segments[at];
    return result;
  }
  return not_found(whole, of);
}

base::error no_such_path(std::string_view path, plane of) {
  // A token in the path may be percent-encoded, which would hide it from the search.
  const auto plain = percent_decode(path);
  const bool is_shown = plain ? !model::has_token(*plain) : !model::has_token(path);
  auto text = "No operation has the path \"" +
              (is_shown ? std::string{path.substr(0, 128)} : std::string{"mc_***"}) + "\". ";
  if (of == plane::ops)
    text += "The ops plane has " + ops_paths();
  else
    text += "GET /openapi.json lists all paths; letter case matters.";
  return {base::errc::route_not_found, std::move(text)};
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
                        "The path contains a percent-encoded control character. Remove it.");
    plain.push_back(static_cast<char>(byte));
    i += 2;
  }
  return plain;
}

} // namespace matchcloud::http
