#include "http/front/file_response.hpp"

#include "base/decimal.hpp"
#include "http/wire/conditional.hpp"
#include "http/wire/request.hpp"
#include "model/text/timestamp.hpp"

#include <utility>

namespace matchcloud::http {

namespace {

/// A name always refers to the same image, so caches may keep it.
constexpr std::string_view for_ever_header =
    "Cache-Control: public, max-age=31536000, immutable\r\n";
constexpr std::string_view ranges_header = "Accept-Ranges: bytes\r\n";
/// Pages of any origin may read the pixels.
constexpr auto media_refusal_headers = joined<any_origin_headers, ranges_header>;
/// Pages of any origin may show the image, even if they refuse what does not say so (COEP).
constexpr std::string_view embedding_header = "Cross-Origin-Resource-Policy: cross-origin\r\n";
constexpr auto image_headers = joined<for_ever_header, embedding_header, media_refusal_headers>;

response unsatisfiable(const request& request, const file_representation& of) {
  const auto size_bytes = of.file->size_bytes();
  auto answer = problem({base::errc::range_not_satisfiable,
                         "The " + std::string{of.noun} + " has " + std::to_string(size_bytes) +
                             " bytes, and the Range begins after them. Request bytes below that."},
                        subject_of(request));
  answer.fixed_headers = of.refusal_headers;
  answer.headers = "Content-Range: " + unsatisfied_range(size_bytes) + "\r\n";
  return answer;
}

constexpr std::string_view export_headers = "Cache-Control: private, no-transform\r\n"
                                            "Vary: Accept-Encoding\r\n"
                                            "Accept-Ranges: bytes\r\n";

std::string etag_of(const model::uuid& export_id, std::string_view coding) {
  return '"' + model::to_string(export_id) + std::string{coding} + '"';
}

bool takes_compressed(const request& request, const store::opened_export& file,
                      std::string_view gzip_etag) {
  if (!file.gzip || !accepts_gzip(request)) return false;
  const auto& if_match = request.get(header::if_match);
  if (request.has(header::if_match) && if_match != "*")
    return names_etag_strongly(if_match, gzip_etag);
  return !request.has(header::range) || request.get(header::if_range) == gzip_etag;
}

std::optional<std::uint64_t> read_seconds(std::string_view text) noexcept {
  // Leading zeros are refused, so that each time has one text only: the one in the issued link.
  if (text.starts_with('0') && text.size() > 1) return std::nullopt;
  return base::parse_decimal<std::uint64_t>(text);
}

} // namespace

response file_response(const request& request, const file_representation& of) {
  // RFC 9110 section 13.2.2: If-Match is evaluated before If-None-Match, and that before Range,
  // which applies to GET only.
  if (!precondition_holds(request, of.etag)) {
    auto refused = precondition_failed(request, of.etag);
    refused.fixed_headers = of.refusal_headers;
    return refused;
  }
  const auto size_bytes = of.file->size_bytes();
  response answer;
  answer.fixed_headers = of.fixed_headers;
  answer.headers.append("ETag: ").append(of.etag).append("\r\n");
  answer.body = file_range{of.file, 0, size_bytes};
  if (names_etag(request.get(header::if_none_match), of.etag)) {
    answer.status = 304;
    return answer;
  }
  if (request.method == method::get && request.has(header::range) &&
      if_range_matches(request, of.etag)) {
    const auto chosen = choose_range(request.get(header::range), size_bytes);
    if (chosen.what == range_choice::kind::unsatisfiable) return unsatisfiable(request, of);
    if (chosen.what == range_choice::kind::part) {
      answer.status = 206;
      answer.body = file_range{of.file, chosen.bytes.offset, chosen.bytes.length};
      answer.headers.append("Content-Range: ")
          .append(content_range(chosen.bytes, size_bytes))
          .append("\r\n");
    }
  }
  answer.content_type = of.content_type;
  answer.headers.append(of.body_headers);
  return answer;
}

response redirect(const request& request, const store::object_links& to,
                  std::string_view fixed_headers) {
  response answer;
  answer.status = 307;
  answer.fixed_headers = fixed_headers;
  answer.headers.append("Cache-Control: no-store\r\nLocation: ")
      .append(request.method == method::head ? to.head : to.get)
      .append("\r\n");
  return answer;
}

response media_response(const request& request, const actors::media_opened& image) {
  if (!image.image.file) return redirect(request, image.image.elsewhere, media_refusal_headers);
  file_representation of;
  of.file = image.image.file;
  of.etag = '"' + model::digest_text(image.key.name) + '"';
  of.content_type = model::media_type(image.key.name.type);
  of.fixed_headers = image_headers;
  of.refusal_headers = media_refusal_headers;
  of.body_headers.append("Content-Disposition: ")
      .append(store::image_disposition(image.key))
      .append("\r\n");
  of.noun = "image";
  return file_response(request, of);
}

std::string complete_from_line(std::int64_t from_ts) {
  return "Matchcloud-Complete-From: " + model::format_timestamp(from_ts) + "\r\n";
}

std::optional<export_link> read_export_link(std::string_view query) noexcept {
  const auto expires = find_parameter(query, "expires");
  const auto signature = find_parameter(query, "signature");
  if (!expires.value || expires.repeated || !signature.value || signature.repeated)
    return std::nullopt;
  const auto seconds = read_seconds(*expires.value);
  if (!seconds) return std::nullopt;
  return export_link{*seconds, *signature.value};
}

bool may_be_compressed(const request& request) {
  return !request.has(header::range) && accepts_gzip(request);
}

response export_response(const request& request, const store::opened_export& file) {
  if (!file.csv) return redirect(request, file.elsewhere, {});
  const auto& [export_id, query, keep_until_ts] = file.facts;
  auto gzip_etag = etag_of(export_id, "-gzip");
  const bool compressed = takes_compressed(request, file, gzip_etag);
  file_representation of;
  of.file = compressed ? file.gzip : file.csv;
  of.etag = compressed ? std::move(gzip_etag) : etag_of(export_id, {});
  of.content_type = store::export_csv_type;
  of.fixed_headers = export_headers;
  of.refusal_headers = export_headers;
  if (compressed) of.body_headers = "Content-Encoding: gzip\r\n";
  of.body_headers.append("Content-Disposition: ")
      .append(store::export_disposition(query))
      .append("\r\n");
  of.noun = compressed ? "compressed export" : "export";
  return file_response(request, of);
}

} // namespace matchcloud::http
