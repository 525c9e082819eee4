#include "http/operations/file_reference.hpp"

#include <string_view>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr parameter_reference range{
    "header", "Range", text,
    "One range of bytes. Several ranges, or invalid ones, get the whole file.", R"("bytes=0-99")"};
constexpr parameter_reference if_range{
    "header", "If-Range", text, "The `Range` applies only while this is the strong entity tag.",
    R"("\"0\"")"};

constexpr std::string_view image_headers = "ETag Cache-Control Accept-Ranges Content-Disposition";
constexpr std::string_view known_image_headers = "ETag Cache-Control Accept-Ranges";
constexpr std::string_view image_elsewhere_headers = "Location Cache-Control Accept-Ranges";
constexpr std::string_view open_image_headers =
    "ETag Cache-Control Accept-Ranges Content-Disposition Cross-Origin-Resource-Policy "
    "Access-Control-Allow-Origin Access-Control-Expose-Headers";
constexpr std::string_view known_open_image_headers =
    "ETag Cache-Control Accept-Ranges Cross-Origin-Resource-Policy Access-Control-Allow-Origin "
    "Access-Control-Expose-Headers";
constexpr std::string_view open_image_elsewhere_headers =
    "Location Cache-Control Accept-Ranges Access-Control-Allow-Origin "
    "Access-Control-Expose-Headers";
constexpr std::string_view csv_headers =
    "ETag Cache-Control Vary Accept-Ranges Content-Disposition "
    "Content-Encoding";
constexpr std::string_view known_csv_headers = "ETag Cache-Control Vary Accept-Ranges";
constexpr std::string_view csv_elsewhere_headers = "Location Cache-Control";

struct file_headers {
  std::string_view whole, known, elsewhere;
};

file_headers headers_of(bool is_image, bool is_open) {
  if (!is_image) return {csv_headers, known_csv_headers, csv_elsewhere_headers};
  if (is_open) return {open_image_headers, known_open_image_headers, open_image_elsewhere_headers};
  return {image_headers, known_image_headers, image_elsewhere_headers};
}

} // namespace

operation_reference file_reference(const operation_row& row, std::string_view tag,
                                   std::string_view summary) {
  const bool is_image = row.path.ends_with("{file_name}");
  const auto headers = headers_of(is_image, row.cors != cors_policy::none);
  const std::string_view types = is_image ? "image/png image/jpeg" : "text/csv";
  const auto schema =
      is_image ? schema_type{R"("type":"string","contentMediaType":"application/octet-stream")"}
               : text;
  operation_reference made;
  made.tag = tag;
  made.summary = summary;
  if (!is_image) made.parameters.push_back(accept_encoding_reference);
  made.parameters.insert(made.parameters.end(),
                         {range, if_range, if_none_match_reference, if_match_reference});
  made.answers = {
      {200, "The whole file.", headers.whole, types, schema},
      {206, "The part that `Range` requests, with `Content-Range`.", headers.whole, types, schema},
      {304, "The client's copy is current.", headers.known},
      {307,
       "The file is in a bucket. `Location` is valid for a minute; to retry, use this URL again.",
       headers.elsewhere}};
  made.answers[1].is_part = true;
  made.errors = {errc::precondition_failed, errc::range_not_satisfiable, errc::io_failed,
                 errc::store_failed};
  return made;
}

} // namespace matchcloud::http
