#pragma once

#include "base/expected.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/request.hpp"
#include "model/text/uuid.hpp"

#include <string>
#include <string_view>

namespace matchcloud::http {

/// Where a request's path leads.
struct route {
  http::operation operation = operation::unmatched;
  /// The one method besides OPTIONS (and HEAD, where it is GET).
  http::method method = method::get;
  /// The `{game_id}` segment, percent-decoded; empty where the path has none.
  std::string game_id;
  /// The `{upload_id}` and `{file_name}` segments, likewise.
  std::string upload_id;
  std::string file_name;
  /// The `{export_id}` segment, likewise.
  std::string export_id;

  /// The `Allow` header's value.
  std::string_view allow() const noexcept;
  bool allows(http::method asked) const noexcept;
};

/// Finds the route of a path (without query) below `base_path` (empty, or `/x` without a slash at
/// the end). Each segment is percent-decoded once, after the split: an encoded slash is part of its
/// segment. Fails with `target_malformed` or `route_not_found`. O(path). Any thread.
base::expected<route> find_route(std::string_view path, std::string_view base_path);

/// Decodes `%XX` once. Fails with `target_malformed` where two hexadecimal digits are missing or
/// the byte is a control character.
base::expected<std::string> percent_decode(std::string_view segment);

} // namespace matchcloud::http
