#include "http/front/request_check.hpp"

#include "http/front/page_guard.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/request_errors.hpp"

namespace matchcloud::http {

namespace {

/// Whether a path that a row matches really exists.
bool exists(const route& where, const front_settings& settings) noexcept {
  const auto& row = *where.row;
  if (row.names_something != nullptr) return row.names_something(where.parameters[0]);
  return settings.has_faults || !row.needs_fault_injection;
}

std::optional<base::error> check_media_type(const operation_row& row, const request& head) {
  // An empty value names no type (RFC 9110 section 8.3), so it is treated like a missing header.
  const auto& type = head.get(header::content_type);
  if (type.empty()) return std::nullopt;
  if (row.body != body_kind::none && !row.takes_any_type && !has_unicode_charset(type))
    return base::error{base::errc::media_type_unsupported,
                       "Content-Type " + in_quotes(type) +
                           " names a charset other than UTF-8. Convert the body to UTF-8, and "
                           "leave out charset."};
  const bool is_lines = row.body == body_kind::json_lines;
  if (row.body == body_kind::none ||
      (is_lines ? is_json_lines(type) : is_json(type) || row.takes_any_type))
    return std::nullopt;
  return base::error{base::errc::media_type_unsupported,
                     std::string{"The body must be "} + (is_lines ? "JSON Lines" : "JSON") +
                         ", not " + type.substr(0, 64) + ". Send Content-Type: " +
                         (is_lines ? "application/x-ndjson, application/ndjson, application/jsonl "
                                     "or application/x-jsonlines"
                                   : "application/json") +
                         ", or leave it out."};
}

/// Why a web page may not make a browser send this request, or nothing.
std::optional<base::error> check_page(const operation_row& row, const request& head,
                                      const front_settings& settings, const model::catalog* known) {
  const auto& access = settings.access;
  // Balancers' health checks in HTTP/1.0 send no Host. No DNS rebinding is behind them, since
  // browsers always send Host. Besides, these operations are public and change nothing.
  const bool is_plain_check =
      row.is_health_check && head.http_1_0 && !head.has(header::host) && !head.has(header::origin);
  if (settings.plane == plane::ops)
    return is_plain_check
               ? std::nullopt
               : check_operator(head, row.id == operation::get_console, access.ops_hosts);
  if (head.method == method::options) return std::nullopt;
  // Where tokens are required, a page of another origin has none. Otherwise every request from this
  // machine is admitted, so its page is checked.
  if (row.is_about_game && !access.requires_tokens && head.peer.is_loopback())
    if (auto why = check_local_caller(head, access.data_hosts, known)) return why;
  if (row.body == body_kind::none || !head.get(header::content_type).empty()) return std::nullopt;
  return check_untyped_body(head, access.data_hosts, known);
}

} // namespace

tl::expected<route, refused_request>
find_operation(const request& head, const front_settings& settings, const model::catalog* known) {
  const auto refuse = [](operation which, base::error why, std::string headers = {}) {
    return tl::unexpected(refused_request{which, std::move(why), std::move(headers)});
  };
  if (head.method == method::other)
    return refuse(operation::unmatched, method_not_implemented(head.method_token));
  auto where = find_route(head.path(), settings.base_path, settings.plane);
  if (where && !exists(*where, settings))
    where = tl::unexpected(no_such_path(head.path(), settings.plane));
  if (!where) return refuse(operation::unmatched, std::move(where).error());
  const auto* row = find_at_path(*where->row, head.method);
  if (row == nullptr) {
    const auto allow = allow_of(*where->row);
    return refuse(where->row->id,
                  {base::errc::method_not_allowed,
                   "This path does not support " + head.method_token + ". Use " + allow + "."},
                  "Allow: " + allow + "\r\n");
  }
  where->row = row;
  if (auto why = check_page(*row, head, settings, known)) return refuse(row->id, *std::move(why));
  return *std::move(where);
}

std::optional<base::error> check_body(const operation_row& row, const request& head,
                                      std::uint64_t size) {
  if (auto why = check_media_type(row, head)) return why;
  if (row.body_limit_bytes == 0 || size <= row.body_limit_bytes) return std::nullopt;
  return base::error{base::errc::body_too_large,
                     "The body has " + std::to_string(size) + " bytes; at most " +
                         std::to_string(row.body_limit_bytes) + " are allowed here. " +
                         std::string{row.body_advice}};
}

} // namespace matchcloud::http
