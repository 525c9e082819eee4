#include "http/front/front.hpp"
#include "http/front/static_content.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::string_view ops_headers = "Cache-Control: no-cache\r\n";
constexpr auto data_headers = joined<ops_headers, any_origin_headers>;

operation_reference document_reference(bool is_open, plane about) {
  return {
      .tag = "reference",
      .summary = about == plane::data ? "The OpenAPI document of the data plane"
                                      : "The OpenAPI document of the ops plane",
      .description =
          "An OpenAPI 3.1 document, made from the tables with which the service itself "
          "routes, validates and refuses. `matchcloud openapi` prints the same document.",
      .parameters = {if_none_match_reference, accept_encoding_reference},
      .answers = {{200,
                   "The document.",
                   is_open ? "ETag Cache-Control Vary Content-Encoding Access-Control-Allow-Origin "
                             "Access-Control-Expose-Headers"
                           : "ETag Cache-Control Vary Content-Encoding",
                   json_type,
                   {R"("type":"object","description":"An OpenAPI document.")"}},
                  {304, "The client's copy is current.",
                   is_open ? "ETag Cache-Control Vary Access-Control-Allow-Origin "
                             "Access-Control-Expose-Headers"
                           : "ETag Cache-Control Vary"}}};
}

constexpr std::string_view page_reference_headers =
    "Cache-Control ETag Vary Content-Encoding Content-Security-Policy "
    "Referrer-Policy";
constexpr std::string_view known_page_reference_headers =
    "Cache-Control ETag Vary Content-Security-Policy Referrer-Policy";

constexpr std::string_view asset_headers = "Cache-Control: public, max-age=31536000, immutable\r\n";
constexpr std::string_view page_headers = "Cache-Control: no-cache\r\n"
                                          "Referrer-Policy: no-referrer\r\n";

operation_reference page_reference(std::string_view summary, std::string_view description) {
  return {.tag = "reference",
          .summary = summary,
          .description = description,
          .parameters = {if_none_match_reference, accept_encoding_reference},
          .answers = {{200, "The page.", page_reference_headers, "text/html", text},
                      {304, "The client's copy is current.", known_page_reference_headers}},
          .errors = {errc::route_not_found}};
}

/// The file, if it exists; otherwise refuses the request.
std::shared_ptr<const static_content> find(const request_context& asked, std::string_view name) {
  const auto& files = asked.settings().console;
  auto content = files ? files->find(name) : nullptr;
  if (!content)
    asked.refuse({errc::route_not_found,
                  files ? "The console has no such file. Reload its page."
                        : "This program was built without the console. To include it, run "
                          "script/console, then script/build."});
  return content;
}

void answer_page(const request_context& asked, std::string_view name) {
  const auto content = find(asked, name);
  if (!content) return;
  auto made = static_response(asked.request(), *content, page_headers);
  made.headers.append("Content-Security-Policy: ")
      .append(console_policy(asked.ping_origins()))
      .append("\r\n");
  asked.answer(std::move(made));
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

const operation_code codes::get_console{
    [] {
      return page_reference("The console",
                            "A page that shows the service. It contains no data and requests all "
                            "of it.");
    },
    [](const request_context& asked) { answer_page(asked, "index.html"); }};

const operation_code codes::get_reference{
    [] { return page_reference("The reference", "A page that shows these documents."); },
    [](const request_context& asked) { answer_page(asked, "docs.html"); }};

const operation_code codes::get_console_file{
    [] {
      auto made = page_reference("A file of the console",
                                 "A file of the pages. A name always refers to the same bytes.");
      made.answers = {{200, "The file.", "Cache-Control ETag Vary Content-Encoding",
                       "text/javascript text/css text/plain image/svg+xml", text},
                      {304, "The client's copy is current.", "Cache-Control ETag Vary"}};
      return made;
    },
    [](const request_context& asked) {
      if (const auto content = find(asked, "assets/" + std::string{asked.parameter(0)}))
        asked.answer(static_response(asked.request(), *content, asset_headers));
    }};

} // namespace matchcloud::http
