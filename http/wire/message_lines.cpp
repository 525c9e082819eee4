#include "http/wire/message_lines.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/response.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <cstring>

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

constexpr std::uint64_t in_each_byte(std::uint64_t byte) noexcept {
  return byte * 0x0101010101010101U;
}

/// Whether one of the eight bytes of `word` is below 0x20 or is 0x7f. A byte that is smaller than
/// the number subtracted from it borrows, which sets its top bit. True for HTAB too, which is
/// allowed: if the result is true, check byte by byte; if it is false, no byte is a control.
constexpr bool has_control(std::uint64_t word) noexcept {
  constexpr auto top = in_each_byte(0x80);
  const auto below_space = (word - in_each_byte(0x20)) & ~word & top;
  const auto deletes = word ^ in_each_byte(0x7f);
  return (below_space | ((deletes - in_each_byte(1)) & ~deletes & top)) != 0;
}

std::uint64_t load(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool is_value(std::string_view value) noexcept {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (value.size() < step) return value_characters.contains_all(value);
  const char* const last = value.data() + value.size() - step;
  bool suspect = has_control(load(last));
  for (const char* at = value.data(); at < last && !suspect; at += step)
    suspect = has_control(load(at));
  return !suspect || value_characters.contains_all(value);
}

tl::unexpected<base::error> bad_name(std::string_view line, std::size_t length) {
  if (length == line.size()) return malformed(in_quotes(line) + " has no colon");
  const char found = line[length];
  if (length == 0 && is_blank(found))
    return malformed("it begins with white space; folded lines are refused, send one line");
  if (length == 0 && found == ':') return malformed("there is no name before the colon");
  const auto name = in_quotes(line.substr(0, length));
  if (is_blank(found)) return malformed("white space after " + name + "; the colon must follow");
  return malformed(byte_name(found) + " after " + name + "; a header name is a token");
}

tl::unexpected<base::error> bad_value(const field_line& field) {
  const auto at = value_characters.span(field.value);
  return malformed(byte_name(field.value[at]) + " at position " + std::to_string(at) +
                   " of the value of " + in_quotes(field.name) +
                   "; control characters are refused");
}

constexpr std::size_t size_limit_digits = 16;

base::expected<void> check_extensions(std::string_view text) {
  if (text.empty()) return {};
  const auto trimmed = trim_blanks(text);
  if (trimmed.empty() || trimmed.front() != ';')
    return malformed(byte_name(text.front()) + " after the chunk size; only ';' may follow");
  const auto length = value_characters.span(trimmed);
  if (length == trimmed.size()) return {};
  return malformed(byte_name(trimmed[length]) + " in a chunk extension");
}

/// Takes the next parameter and the semicolon after it off `rest`. A semicolon within a quoted
/// string does not count; a string that does not end takes everything.
std::string_view take_parameter(std::string_view& rest) noexcept {
  std::size_t end = 0;
  for (bool quoted = false; end < rest.size() && (quoted || rest[end] != ';'); ++end) {
    if (rest[end] == '"') quoted = !quoted;
    if (quoted && rest[end] == '\\' && end + 1 < rest.size()) ++end;
  }
  const auto parameter = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trim_blanks(parameter);
}

std::string_view without_quotes(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// Whether a charset is UTF-8 or a subset of it. An empty one says nothing.
bool is_unicode(std::string_view charset) noexcept {
  return charset.empty() || equal_ignoring_case(charset, "utf-8") ||
         equal_ignoring_case(charset, "utf8") || equal_ignoring_case(charset, "us-ascii");
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

base::expected<field_line> parse_field_line(std::string_view line) {
  const auto length = token_characters.span(line);
  if (length == 0 || length == line.size() || line[length] != ':') return bad_name(line, length);
  const field_line field{line.substr(0, length), trim_blanks(line.substr(length + 1))};
  if (!is_value(field.value)) return bad_value(field);
  return field;
}

framing_field find_framing_field(std::string_view name) noexcept {
  const auto is = [name](std::string_view known, framing_field field) {
    return equal_ignoring_case(name, known) ? field : framing_field::none;
  };
  switch (name.size()) {
  case 6: return is("expect", framing_field::expect);
  case 10: return is("connection", framing_field::connection);
  case 14: return is("content-length", framing_field::content_length);
  case 16: return is("content-encoding", framing_field::content_encoding);
  case 17: return is("transfer-encoding", framing_field::transfer_encoding);
  default: return framing_field::none;
  }
}

base::expected<std::uint64_t> parse_content_length(std::string_view value) {
  if (value.empty()) return malformed("Content-Length is empty; send a number of bytes");
  if (const auto number = read_digits(value)) return *number;
  return malformed("Content-Length " + in_quotes(value) + " is not a single number made of digits");
}

bool list_has(std::string_view list, std::string_view token) noexcept {
  while (const auto element = take_element(list))
    if (equal_ignoring_case(*element, token)) return true;
  return false;
}

bool list_has_only(std::string_view list, std::string_view token) noexcept {
  while (const auto element = take_element(list))
    if (!equal_ignoring_case(*element, token)) return false;
  return true;
}

bool list_ends_with(std::string_view list, std::string_view token) noexcept {
  const auto comma = list.rfind(',');
  return comma != list.npos && equal_ignoring_case(trim_blanks(list.substr(comma + 1)), token);
}

bool hides_line_end(std::string_view value) noexcept {
  for (auto at = value.find('%'); at != value.npos; at = value.find('%', at + 1)) {
    const auto code = value.substr(at + 1, 2);
    if (code == "00" || equal_ignoring_case(code, "0d") || equal_ignoring_case(code, "0a"))
      return true;
  }
  return false;
}

base::expected<std::uint64_t> parse_chunk_line(std::string_view line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits) {
    if (digits == size_limit_digits) return malformed("the chunk size has more than 16 digits");
    size = size << 4 | static_cast<std::uint64_t>(hex_value(line[digits]));
  }
  if (digits == 0) return malformed(in_quotes(line) + " is not a chunk size in hexadecimal digits");
  if (auto checked = check_extensions(line.substr(digits)); !checked)
    return tl::unexpected(checked.error());
  return size;
}

bool is_media_type(std::string_view content_type, std::string_view type) noexcept {
  return equal_ignoring_case(content_type.substr(0, content_type.find_first_of("; \t")), type);
}

bool is_json_lines(std::string_view content_type) noexcept {
  for (auto rest = json_lines_types; !rest.empty();)
    if (is_media_type(content_type, take_until(rest, ' '))) return true;
  return false;
}

bool is_json(std::string_view content_type) noexcept {
  return is_media_type(content_type, json_type);
}

bool has_unicode_charset(std::string_view content_type) noexcept {
  auto rest = content_type;
  take_until(rest, ';');
  while (!rest.empty()) {
    auto parameter = take_parameter(rest);
    const auto name = take_until(parameter, '=');
    if (equal_ignoring_case(name, "charset") && !is_unicode(without_quotes(trim_blanks(parameter))))
      return false;
  }
  return true;
}

} // namespace matchcloud::http
