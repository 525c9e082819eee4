#include "http/front/export_response.hpp"

#include "base/decimal.hpp"
#include "http/front/file_response.hpp"
#include "http/wire/conditional.hpp"
#include "http/wire/content_coding.hpp"
#include "http/wire/query.hpp"
#include "model/text/timestamp.hpp"

#include <utility>

namespace matchcloud::http {

namespace {

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
