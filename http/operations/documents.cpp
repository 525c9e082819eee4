#include "http/operations/documents.hpp"

#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

namespace matchcloud::http {

namespace {

constexpr std::string_view ops_headers = "Cache-Control: no-cache\r\n";
constexpr auto data_headers = joined<ops_headers, any_origin_headers>;

operation_references document_reference(bool is_open, plane about) {
  return {{.tag = "reference",
           .summary = about == plane::data ? "The OpenAPI document of the data plane"
                                           : "The OpenAPI document of the ops plane",
           .description =
               "An OpenAPI 3.1 document, made from the tables by which the service itself "
               "routes, validates and refuses. `matchcloud openapi` prints the same.",
           .parameters = {if_none_match_reference, accept_encoding_reference},
           .answers = {
               {200, "The document.",
                is_open ? "ETag Cache-Control Vary Content-Encoding Access-Control-Allow-Origin "
                          "Access-Control-Expose-Headers"
                        : "ETag Cache-Control Vary Content-Encoding",
                json_type, R"({"type":"object","description":"An OpenAPI document."})"},
               {304, "The client's copy still holds.",
                is_open ? "ETag Cache-Control Vary Access-Control-Allow-Origin "
                          "Access-Control-Expose-Headers"
                        : "ETag Cache-Control Vary"}}}};
}

} // namespace

const operation_code codes::get_openapi{
    [] { return document_reference(true, plane::data); },
    [](const request_context& asked) {
      asked.answer_static(asked.settings().documents.of_data_plane, data_headers);
    }};

const operation_code codes::get_ops_openapi{
    [] { return document_reference(false, plane::ops); },
    [](const request_context& asked) {
      asked.answer_static(asked.settings().documents.of_ops_plane, ops_headers);
    }};

const operation_code codes::get_data_openapi{
    [] { return document_reference(false, plane::data); },
    [](const request_context& asked) {
      asked.answer_static(asked.settings().documents.of_data_plane, ops_headers);
    }};

} // namespace matchcloud::http
