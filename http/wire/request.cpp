#include "http/wire/request.hpp"

#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace matchcloud::http {

namespace {

struct named_header {
  std::string_view name;
  header id;
};

std::size_t pick(std::string_view name, std::initializer_list<named_header> candidates) noexcept {
  for (const auto& candidate : candidates)
    if (equal_ignoring_case(name, candidate.name)) return static_cast<std::size_t>(candidate.id);
  return header_count;
}

void reset(std::string& text, std::size_t retain_bytes) {
  if (text.capacity() > retain_bytes && text.capacity() > std::string{}.capacity())
    std::string{}.swap(text);
  else
    text.clear();
}

} // namespace

method parse_method(std::string_view token) noexcept {
  switch (token.size()) {
  case 3:
    if (token == "GET") return method::get;
    return token == "PUT" ? method::put : method::other;
  case 4:
    if (token == "POST") return method::post;
    return token == "HEAD" ? method::head : method::other;
  case 5: return token == "PATCH" ? method::patch : method::other;
  case 6: return token == "DELETE" ? method::del : method::other;
  case 7: return token == "OPTIONS" ? method::options : method::other;
  default: return method::other;
  }
}

// Header names differ so much in length that most names which are not stored cost no comparison.
std::size_t find_header(std::string_view name) noexcept {
  switch (name.size()) {
  case 4: return pick(name, {{"host", header::host}});
  case 5: return pick(name, {{"range", header::range}});
  case 6: return pick(name, {{"accept", header::accept}, {"origin", header::origin}});
  case 7: return pick(name, {{"x-fault", header::x_fault}});
  case 8: return pick(name, {{"if-range", header::if_range}, {"if-match", header::if_match}});
  case 9: return pick(name, {{"forwarded", header::forwarded}});
  case 11: return pick(name, {{"traceparent", header::traceparent}});
  case 12:
    return pick(name,
                {{"content-type", header::content_type}, {"x-request-id", header::x_request_id}});
  case 13:
    return pick(
        name, {{"authorization", header::authorization}, {"if-none-match", header::if_none_match}});
  case 14: return pick(name, {{"sec-fetch-site", header::sec_fetch_site}});
  case 15:
    return pick(name, {{"accept-encoding", header::accept_encoding},
                       {"x-forwarded-for", header::x_forwarded_for}});
  case 29:
    return pick(name, {{"access-control-request-method", header::access_control_request_method}});
  case 30:
    return pick(name, {{"access-control-request-headers", header::access_control_request_headers}});
  default: return header_count;
  }
}

bool is_proxy_header(std::string_view name) noexcept {
  constexpr std::string_view prefix = "x-forwarded-";
  switch (name.front() | 0x20) {
  case 'x':
    return equal_ignoring_case(name.substr(0, prefix.size()), prefix) ||
           equal_ignoring_case(name, "x-real-ip");
  case 'f': return equal_ignoring_case(name, "forwarded");
  case 'v': return equal_ignoring_case(name, "via");
  default: return false;
  }
}

bool is_list_header(header h) noexcept {
  constexpr std::array lists{header::x_forwarded_for,
                             header::forwarded,
                             header::accept,
                             header::accept_encoding,
                             header::access_control_request_headers,
                             header::if_match,
                             header::if_none_match,
                             header::x_fault};
  return std::ranges::find(lists, h) != lists.end();
}

void request::set(header h, std::string_view value) {
  values_[static_cast<std::size_t>(h)].assign(value);
  present_ |= 1U << static_cast<unsigned>(h);
}

void request::append(header h, std::string_view value) {
  if (!has(h)) return set(h, value);
  values_[static_cast<std::size_t>(h)].append(", ").append(value);
}

std::string_view request::path() const noexcept {
  return std::string_view{target}.substr(0, target.find('?'));
}

std::string_view request::query() const noexcept {
  const auto mark = target.find('?');
  return mark == target.npos ? std::string_view{} : std::string_view{target}.substr(mark + 1);
}

void request::clear(std::size_t retain_bytes) {
  method = http::method::other;
  http_1_0 = false;
  keep_alive = true;
  body_follows = false;
  peer = {};
  connection = 0;
  through_proxy = false;
  is_secure = false;
  certificate_subject.reset();
  for (std::string* text : {&method_token, &target, &body, &id})
    reset(*text, retain_bytes);
  for (; present_ != 0; present_ &= present_ - 1)
    reset(values_[static_cast<std::size_t>(std::countr_zero(present_))], retain_bytes);
}

} // namespace matchcloud::http
