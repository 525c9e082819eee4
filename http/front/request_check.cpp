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
                       "The body must be in UTF-8, which Content-Type " + in_quotes(type) +
                           " says it is not. Convert it, and leave out charset."};
  switch (row.body) {
  case body_kind::none: break;
  case body_kind::json:
    if (is_json(type) || row.takes_any_type) break;
    return base::error{base::errc::media_type_unsupported,
                       "The body must be JSON, not " + type.substr(0, 64) +
                           ". Send Content-Type: application/json, or none."};
  case body_kind::json_lines:
    if (is_json_lines(type)) break;
    return base::error{base::errc::media_type_unsupported,
                       "The body must be JSON Lines, not " + type.substr(0, 64) +
                           ". Send Content-Type: application/x-ndjson, application/ndjson, "
                           "application/jsonl or application/x-jsonlines, or none."};
  }
  return std::nullopt;
}

/// Why a page that a browser shows may not make it ask this, or nothing.
std::optional<base::error> check_page(const operation_row& row, const request& head,
                                      const front_settings& settings, const model::catalog* known) {
  const auto& access = settings.access;
  // Balancers' checks in HTTP/1.0 name no host. Nobody is led here by a name then: browsers, whose
  // pages an attacker's DNS could lead here, always send Host. And what these operations say is for
  // everybody and changes nothing.
  const bool is_plain_check =
      row.is_health_check && head.http_1_0 && !head.has(header::host) && !head.has(header::origin);
  if (settings.plane == plane::ops)
    return is_plain_check ? std::nullopt : check_operator(head, access.ops_hosts);
  if (head.method == method::options) return std::nullopt;
  // A token is what a page of another origin does not have. Without, the machine itself is let in.
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
                   "This path takes " + allow + ", not " + head.method_token + "."},
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
  return base::error{base::errc::body_too_large, "The body has " + std::to_string(size) +
                                                     " bytes; this one takes " +
                                                     std::to_string(row.body_limit_bytes) + ". " +
                                                     std::string{row.body_advice}};
}

} // namespace matchcloud::http
