#include "http/wire/response.hpp"

#include "model/access/token_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace matchcloud::http {

namespace {

/// With these, no browser treats content as another type, such as an upload as a page or JSON as a
/// script.
constexpr std::string_view content_headers = "\r\nX-Content-Type-Options: nosniff"
                                             "\r\nContent-Type: ";
constexpr std::string_view own_content_headers = "\r\nCross-Origin-Resource-Policy: same-origin"
                                                 "\r\nX-Content-Type-Options: nosniff"
                                                 "\r\nContent-Type: ";

void append_number(std::string& out, std::size_t number) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out.append(digits, end);
}

/// Replaces bytes outside ASCII by `?` if `detail` is not UTF-8, which JSON requires: a detail may
/// echo a client's bytes.
std::string readable(const std::string& detail) {
  if (model::find_malformed_utf8(detail) == std::string_view::npos) return detail;
  auto ascii = detail;
  for (auto& c : ascii)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return ascii;
}

/// The sentence that clients get instead of a detail with paths of this machine. It says what the
/// cause can be and what the operator, the client of the ops plane, can do about it.
std::string_view general_detail(base::errc code) noexcept {
  switch (code) {
  case base::errc::store_failed:
    return "The store cannot be used now. Its server is out of reach, another process is holding "
           "it for long, or its disk fails or is read-only (the data directory must be writable; "
           "see the kernel's log). The service's log has the cause. Try again later.";
  case base::errc::internal:
    return "The service failed in a way that should be impossible: it has a bug, or someone has "
           "changed the store's tables. The same request would most likely fail the same way. The "
           "service's log has the cause.";
  case base::errc::outcome_unknown:
    return "The store was lost during the change, which may or may not have happened. Check "
           "whether it has before you retry. The service's log has the cause.";
  case base::errc::history_too_slow:
    return "PostgreSQL ended the reading of the lobby history at its time limit "
           "(store-statement-timeout-ms). Retrying would most likely fail the same way: request a "
           "shorter span, or have the operator raise the limit or relieve the server. The "
           "service's log has the cause.";
  case base::errc::store_full:
    return "The disk of the service is full. Free some disk space there. The service's log has "
           "the cause.";
  case base::errc::store_newer:
    return "A newer version of the service has changed the store, so this process may no longer "
           "use it. Use a process of the newer version.";
  default: return "The service cannot use a file of its own. The service's log has the cause.";
  }
}

base::error as_told(const base::error& what) {
  if (!base::is_local_failure(what.code) || what.for_clients) return what;
  return {what.code, std::string{general_detail(what.code)}};
}

} // namespace

std::string_view response::body_bytes() const noexcept {
  if (const auto* owned = std::get_if<std::string>(&body)) return *owned;
  const auto* shared = std::get_if<std::shared_ptr<const std::string>>(&body);
  return shared != nullptr && *shared ? std::string_view{**shared} : std::string_view{};
}

std::uint64_t response::body_size() const noexcept {
  const auto* file = std::get_if<file_range>(&body);
  return file != nullptr ? file->length : memory_size();
}

std::size_t response::memory_size() const noexcept {
  const auto* assembled = std::get_if<assembled_body>(&body);
  return assembled != nullptr ? assembled->size : body_bytes().size();
}

void response::append_body(std::string& out) const {
  if (const auto* assembled = std::get_if<assembled_body>(&body))
    assembled->append(assembled->parts.get(), out);
  else
    out.append(body_bytes());
}

bool has_body(int status) noexcept {
  return status >= 200 && status != 204 && status != 304;
}

void write_head(std::string& out, const response& answer, const write_context& context) {
  if (answer.status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
  } else {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::size_t>(answer.status));
    out.append(" ").append(reason_phrase(answer.status)).append("\r\n");
  }
  out.append("Date: ").append(context.date);
  if (!answer.content_type.empty())
    out.append(context.is_for_own_pages ? own_content_headers : content_headers)
        .append(answer.content_type);
  if (std::holds_alternative<body_in_parts>(answer.body)) {
    if (!context.http_1_0) out.append("\r\nTransfer-Encoding: chunked");
  } else if (has_body(answer.status)) {
    out.append("\r\nContent-Length: ");
    append_number(out, answer.body_size());
  }
  out.append("\r\nX-Request-Id: ").append(context.request_id).append("\r\n");
  out.append(answer.fixed_headers).append(answer.headers);
  if (!context.keep_alive)
    out.append("Connection: close\r\n");
  else if (context.http_1_0)
    out.append("Connection: keep-alive\r\n");
  out.append("\r\n");
}

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
  case 200: return "OK";
  case 201: return "Created";
  case 204: return "No Content";
  case 206: return "Partial Content";
  case 304: return "Not Modified";
  case 307: return "Temporary Redirect";
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 408: return "Request Timeout";
  case 409: return "Conflict";
  case 412: return "Precondition Failed";
  case 413: return "Content Too Large";
  case 414: return "URI Too Long";
  case 415: return "Unsupported Media Type";
  case 416: return "Range Not Satisfiable";
  case 417: return "Expectation Failed";
  case 422: return "Unprocessable Content";
  case 429: return "Too Many Requests";
  case 431: return "Request Header Fields Too Large";
  case 500: return "Internal Server Error";
  case 501: return "Not Implemented";
  case 503: return "Service Unavailable";
  case 504: return "Gateway Timeout";
  case 507: return "Insufficient Storage";
  case 505: return "HTTP Version Not Supported";
  default: return "Unknown";
  }
}

response problem(const base::error& failure, const problem_subject& of,
                 std::string_view violated_policy) {
  const auto what = as_told(failure);
  const auto about = base::describe(what.code);
  const auto detail = model::redact_tokens(readable(what.detail));
  model::json_writer json;
  json.object().name("type").text("urn:matchcloud:problem:" + std::string{about.code});
  json.name("title").text(about.title).name("status").number(about.status);
  json.name("detail").text(detail);
  // Clients of the interface read both `code` and `message` and ignore an error that lacks either.
  json.name("code").text(about.code).name("message").text(detail);
  json.name("request_id").text(of.request_id);
  if (!of.trace_id.empty()) json.name("trace_id").text(of.trace_id);
  if (!violated_policy.empty())
    json.name("violated-policies").array().text(violated_policy).end_array();
  json.end_object();

  response answer;
  answer.status = about.status;
  answer.problem = what.code;
  answer.content_type = problem_type;
  answer.body = json.take();
  // Exports take seconds; everything else finishes sooner.
  if (what.code == base::errc::exports_busy) answer.fixed_headers = "Retry-After: 5\r\n";
  // With `store_newer`, the same request would never succeed.
  else if (about.status == 503 && what.code != base::errc::store_newer)
    answer.fixed_headers = "Retry-After: 1\r\n";
  // RFC 9110 section 12.5.3: only a 415 that the content coding caused carries Accept-Encoding.
  else if (what.code == base::errc::content_coding_unsupported)
    answer.fixed_headers = "Accept-Encoding: identity\r\n";
  return answer;
}

std::string http_date(std::int64_t unix_seconds) {
  const std::time_t seconds = unix_seconds;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const auto length = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, length};
}

} // namespace matchcloud::http
