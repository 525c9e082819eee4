#pragma once

#include "base/open_file.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// A representation that is a whole file (RFC 9110 section 3.2).
struct file_representation {
  std::shared_ptr<const base::open_file> file;
  /// Strong, quotes included.
  std::string etag;
  /// Static storage, as the header lines below.
  std::string_view content_type;
  /// Whole header lines of every answer but a refusal: caching, what varies it.
  std::string_view fixed_headers;
  /// Whole header lines of a 412 or 416.
  std::string_view refusal_headers;
  /// Whole header lines of answers that have a body: disposition, coding.
  std::string body_headers;
  /// What people call it: "image".
  std::string_view noun;
};

/// The answer to a GET or HEAD of a file: whole (200), a part (206), not modified (304), without
/// such a part (416) or, by `If-Match`, not what was meant (412). Any thread.
response file_response(const request& request, const file_representation& of);

} // namespace matchcloud::http
