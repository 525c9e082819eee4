#include "http/front/media_response.hpp"

#include "http/front/file_response.hpp"

#include <string>

namespace matchcloud::http {

namespace {

/// A name always refers to the same image, so caches may keep it.
constexpr std::string_view for_ever_header =
    "Cache-Control: public, max-age=31536000, immutable\r\n";
constexpr std::string_view ranges_header = "Accept-Ranges: bytes\r\n";
/// Pages of any origin may read the pixels.
constexpr auto refusal_headers = joined<any_origin_headers, ranges_header>;
/// Pages of any origin may show the image, even if they refuse what does not say so (COEP).
constexpr std::string_view embedding_header = "Cross-Origin-Resource-Policy: cross-origin\r\n";
constexpr auto image_headers = joined<for_ever_header, embedding_header, refusal_headers>;

} // namespace

response media_response(const request& request, const actors::media_opened& image) {
  if (!image.image.file) return redirect(request, image.image.elsewhere, refusal_headers);
  file_representation of;
  of.file = image.image.file;
  of.etag = '"' + model::digest_text(image.key.name) + '"';
  of.content_type = model::media_type(image.key.name.type);
  of.fixed_headers = image_headers;
  of.refusal_headers = refusal_headers;
  of.body_headers.append("Content-Disposition: ")
      .append(store::image_disposition(image.key))
      .append("\r\n");
  of.noun = "image";
  return file_response(request, of);
}

} // namespace matchcloud::http
