#include "http/media_response.hpp"

#include "http/conditional.hpp"
#include "http/content_range.hpp"

#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

/// A name is one image for ever. Pages read the pixels, hence the origin; no browser may take an
/// upload for a page or a script.
constexpr std::string_view image_headers = "Cache-Control: public, max-age=31536000, immutable\r\n"
                                           "Access-Control-Allow-Origin: *\r\n"
                                           "X-Content-Type-Options: nosniff\r\n"
                                           "Accept-Ranges: bytes\r\n";
constexpr std::string_view refusal_headers = "Access-Control-Allow-Origin: *\r\n"
                                             "X-Content-Type-Options: nosniff\r\n"
                                             "Accept-Ranges: bytes\r\n";

response unsatisfiable(const request& asking, std::uint64_t size_bytes) {
  auto answer = problem({base::errc::range_not_satisfiable,
                         "The image has " + std::to_string(size_bytes) +
                             " bytes, and the Range begins behind them. Ask for bytes below that."},
                        asking.id);
  answer.fixed_headers = refusal_headers;
  answer.headers = "Content-Range: " + unsatisfied_range(size_bytes) + "\r\n";
  return answer;
}

} // namespace

response media_response(const request& asking, const actors::media_opened& image) {
  const auto size_bytes = image.file->size_bytes();
  const auto etag = '"' + model::digest_text(image.key.name) + '"';
  response answer;
  answer.fixed_headers = image_headers;
  answer.headers.append("ETag: ").append(etag).append("\r\n");
  answer.body = file_range{image.file, 0, size_bytes};
  // RFC 9110 section 13.2.2: If-None-Match goes before Range, and Range is for GET alone.
  if (names_etag(asking.get(header::if_none_match), etag)) {
    answer.status = 304;
    return answer;
  }
  if (asking.method == method::get && asking.has(header::range) &&
      range_stands(asking.get(header::if_range), etag)) {
    const auto chosen = choose_range(asking.get(header::range), size_bytes);
    if (chosen.what == range_choice::kind::unsatisfiable) return unsatisfiable(asking, size_bytes);
    if (chosen.what == range_choice::kind::part) {
      answer.status = 206;
      answer.body = file_range{image.file, chosen.bytes.offset, chosen.bytes.length};
      answer.headers.append("Content-Range: ")
          .append(content_range(chosen.bytes, size_bytes))
          .append("\r\n");
    }
  }
  answer.content_type = model::media_type(image.key.name.type);
  answer.headers.append("Content-Disposition: inline; filename=\"avatar-")
      .append(model::to_string(image.key.upload_id))
      .append(model::extension(image.key.name.type))
      .append("\"\r\n");
  return answer;
}

} // namespace matchcloud::http
