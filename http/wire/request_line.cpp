#include "http/wire/request_line.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/request_errors.hpp"
#include "model/net/url_parts.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::fail;

constexpr std::size_t method_limit_bytes = 32;

tl::unexpected<base::error> target_too_long(std::size_t limit_bytes) {
  return fail(errc::target_too_long,
              "the request target is longer than " + std::to_string(limit_bytes) + " bytes");
}

tl::unexpected<base::error> bad_method(std::string_view line, std::size_t length) {
  if (length == line.size()) return malformed("there is no space after the method");
  if (line[length] != ' ')
    return malformed(byte_name(line[length]) + " in the method; a method is a token");
  if (length == 0) return malformed("it begins with a space; a method must come first");
  return malformed("the method is longer than " + std::to_string(method_limit_bytes) + " bytes");
}

/// Whether `text` has the form of a version (`HTTP/` digit `.` digit), with any numbers.
bool is_version(std::string_view text) noexcept {
  return text.size() == 8 && text.substr(0, 5) == "HTTP/" && is_digit(text[5]) && text[6] == '.' &&
         is_digit(text[7]);
}

base::expected<void> check_version(std::string_view text) {
  if (text == "HTTP/1.1") return {};
  if (is_version(text)) {
    if (text[5] == '1') return {};
    return fail(errc::version_unsupported, "version " + in_quotes(text) + "; use HTTP/1.1");
  }
  return malformed(in_quotes(text) + " is not a version; the line must end with HTTP/1.1");
}

/// Moves the authority of an absolute-form target to `out.authority` and drops its scheme.
base::expected<void> reduce_absolute_form(request_line& out) {
  const auto parts = model::split_url(out.target);
  if (!parts || !model::is_web_scheme(parts->scheme))
    return malformed("target " + in_quotes(out.target) + " is neither a path nor an http URL");
  out.authority = parts->authority;
  out.target = parts->rest;
  if (!is_authority(out.authority))
    return malformed(in_quotes(out.authority) + " in the target is not a host");
  return {};
}

base::expected<void> check_target(request_line& out) {
  // CONNECT has a target form of its own, and what follows its head is not a request.
  if (out.method == "CONNECT")
    return fail(errc::method_not_implemented, "CONNECT is for proxies; this is not a proxy");
  auto length = target_characters.span(out.target);
  // A query may have all characters that browsers send and nginx accepts. In a path they are
  // refused: a proxy that normalizes paths may read `/a\b` as `/a/b`.
  if (const auto query = out.target.find('?'); query < length)
    length += query_characters.span(out.target.substr(length));
  if (length != out.target.size())
    return malformed(byte_name(out.target[length]) + " at position " + std::to_string(length) +
                     " of the target; percent-encode it");
  if (out.target.front() == '/') return {};
  if (out.target != "*") return reduce_absolute_form(out);
  if (out.method == "OPTIONS") return {};
  return malformed("target '*' is for OPTIONS only");
}

} // namespace

base::expected<request_line> parse_request_line(std::string_view line,
                                                std::size_t target_limit_bytes) {
  request_line out;
  const auto method_end = token_characters.span(line);
  if (method_end == 0 || method_end > method_limit_bytes || method_end == line.size() ||
      line[method_end] != ' ')
    return bad_method(line, method_end);
  out.method = line.substr(0, method_end);

  const auto rest = line.substr(method_end + 1);
  out.target = rest.substr(0, rest.find(' '));
  if (out.target.size() > target_limit_bytes) return target_too_long(target_limit_bytes);
  if (out.target.empty())
    return malformed("there is no target after the method and exactly one space");
  if (out.target.size() == rest.size()) return malformed("there is no version after the target");

  const auto version = rest.substr(out.target.size() + 1);
  if (auto checked = check_version(version); !checked) return tl::unexpected(checked.error());
  out.http_1_0 = version.back() == '0';
  if (auto checked = check_target(out); !checked) return tl::unexpected(checked.error());
  return out;
}

bool target_overruns(std::string_view unfinished_line, std::size_t target_limit_bytes) noexcept {
  const auto method_end = unfinished_line.find(' ');
  if (method_end == unfinished_line.npos) return false;
  const auto rest = unfinished_line.substr(method_end + 1);
  return rest.substr(0, rest.find(' ')).size() > target_limit_bytes;
}

bool is_authority(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '[') {
    const auto close = text.find(']');
    if (close == text.npos || close == 1) return false;
    if (!ipv6_characters.contains_all(text.substr(1, close - 1))) return false;
    text.remove_prefix(close + 1);
  } else {
    const auto length = name_characters.span(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  if (text.empty()) return true;
  if (text.front() != ':') return false;
  for (const char c : text.substr(1))
    if (!is_digit(static_cast<unsigned char>(c))) return false;
  return true;
}

} // namespace matchcloud::http
