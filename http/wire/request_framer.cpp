#include "http/wire/request_framer.hpp"

#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace matchcloud::http {

using base::errc;

framer_result request_framer::feed(std::string_view bytes, request& into) {
  if (state_ == state::failed) return {framer_status::failed, 0};
  auto rest = bytes;
  auto status = framer_status::need_more;
  while (!rest.empty() && status == framer_status::need_more)
    status = advance(rest, into);
  if (status == framer_status::body_next && !rest.empty()) continue_due_ = false;
  return {status, bytes.size() - rest.size()};
}

framer_status request_framer::advance(std::string_view& rest, request& into) {
  switch (state_) {
  case state::start: return begin(rest);
  case state::empty_line: return end_empty_line(rest);
  case state::request_line:
  case state::headers: return read_head(rest, into);
  case state::before_body: return framer_status::body_next;
  case state::sized_body: return read_sized_body(rest, into);
  case state::chunk_line: return read_chunk_line(rest);
  case state::chunk_body: return read_chunk_body(rest, into);
  case state::chunk_cr:
  case state::chunk_lf: return read_chunk_end(rest);
  case state::trailers: return read_trailers(rest);
  case state::failed: break;
  }
  return framer_status::failed;
}

framer_status request_framer::begin(std::string_view& rest) {
  const char first = rest.front();
  if (token_characters.contains(first)) {
    state_ = state::request_line;
    return framer_status::need_more;
  }
  rest.remove_prefix(1);
  if (first == '\r' && !facts_.skipped_empty_line) {
    state_ = state::empty_line;
    return framer_status::need_more;
  }
  return refuse(errc::request_malformed,
                "The first byte of the request is " + byte_name(first) +
                    ", which no method begins with; send plain HTTP/1.1 (no TLS), one request "
                    "after another, with at most one empty line between them");
}

framer_status request_framer::end_empty_line(std::string_view& rest) {
  const char found = rest.front();
  rest.remove_prefix(1);
  if (found != '\n')
    return refuse(errc::request_malformed, "A CR without LF before the request line");
  facts_.skipped_empty_line = true;
  state_ = state::start;
  return framer_status::need_more;
}

framer_status request_framer::read_head(std::string_view& rest, request& into) {
  auto status = framer_status::need_more;
  while (status == framer_status::need_more && state_ <= state::headers) {
    std::string_view line;
    switch (take_line(rest, limits_->head_limit_bytes - section_bytes_, line)) {
    case line_status::unfinished: return framer_status::need_more;
    case line_status::over_limit: return refuse_long_head();
    case line_status::bare_lf:
      ++lines_;
      return refuse_line({errc::request_malformed, "it ends with LF alone; end lines with CRLF"});
    case line_status::whole: ++lines_;
    }
    if (state_ == state::request_line)
      status = accept_request_line(line, into);
    else
      status = line.empty() ? end_head(into) : accept_header(line, into);
    line_.clear();
  }
  return status;
}

/// Takes the rest of a line, which may have `room` more bytes, off `rest`. A line that arrives in
/// one piece is not copied: `line`, which has no line end, refers to the bytes fed or to `line_`.
request_framer::line_status request_framer::take_line(std::string_view& rest, std::size_t room,
                                                      std::string_view& line) {
  if (rest.empty()) return line_status::unfinished;
  const auto window = rest.substr(0, room);
  const auto* end = static_cast<const char*>(std::memchr(window.data(), '\n', window.size()));
  if (end == nullptr) {
    line_.append(window);
    section_bytes_ += window.size();
    const bool over = rest.size() > room;
    rest.remove_prefix(over ? room + 1 : rest.size());
    return over ? line_status::over_limit : line_status::unfinished;
  }
  line = window.substr(0, static_cast<std::size_t>(end - window.data()) + 1);
  section_bytes_ += line.size();
  rest.remove_prefix(line.size());
  if (!line_.empty()) line = line_.append(line);
  if (line.size() < 2 || line[line.size() - 2] != '\r') return line_status::bare_lf;
  line.remove_suffix(2);
  return line_status::whole;
}

framer_status request_framer::accept_request_line(std::string_view text, request& into) {
  const auto parsed = parse_request_line(text, limits_->target_limit_bytes);
  if (!parsed) return refuse_line(parsed.error());
  into.method = parse_method(parsed->method);
  into.method_token.assign(parsed->method);
  into.target.assign(parsed->target);
  if (into.target.empty() || into.target.front() == '?') into.target.insert(0, 1, '/');
  into.http_1_0 = parsed->http_1_0;
  if (!parsed->authority.empty()) authority_.assign(parsed->authority);
  state_ = state::headers;
  return framer_status::need_more;
}

framer_status request_framer::accept_header(std::string_view line, request& into) {
  if (lines_ > limits_->header_limit + 1)
    return refuse(errc::head_too_large, "The head has more than " +
                                            std::to_string(limits_->header_limit) +
                                            " header lines");
  const auto field = parse_field_line(line);
  if (!field) return refuse_line(field.error());
  switch (find_framing_field(field->name)) {
  case framing_field::connection: return accept_connection(field->value);
  case framing_field::content_length: return accept_content_length(field->value);
  case framing_field::transfer_encoding: return accept_transfer_encoding(field->value, into);
  case framing_field::expect: return accept_expect(field->value);
  case framing_field::content_encoding:
    facts_.encoded = facts_.encoded || !list_has_only(field->value, "identity");
    return framer_status::need_more;
  case framing_field::none: break;
  }
  if (may_be_proxy_header(field->name) && is_proxy_header(field->name)) into.through_proxy = true;
  const auto known = find_header(field->name);
  if (known == header_count) return framer_status::need_more;
  return keep_header(static_cast<header>(known), *field, into);
}

framer_status request_framer::accept_connection(std::string_view value) {
  facts_.close = facts_.close || list_has(value, "close");
  facts_.keep_alive = facts_.keep_alive || list_has(value, "keep-alive");
  return framer_status::need_more;
}

framer_status request_framer::accept_content_length(std::string_view value) {
  if (facts_.has_content_length)
    return refuse_line({errc::request_malformed, "a second Content-Length; send one"});
  if (facts_.chunked)
    return refuse_line(
        {errc::request_malformed, "Content-Length after Transfer-Encoding; send one of them"});
  const auto length = parse_content_length(value);
  if (!length) return refuse_line(length.error());
  facts_.has_content_length = true;
  facts_.content_length = *length;
  return framer_status::need_more;
}

framer_status request_framer::accept_transfer_encoding(std::string_view value,
                                                       const request& into) {
  if (facts_.chunked)
    return refuse_line({errc::request_malformed, "a second Transfer-Encoding; send one"});
  if (facts_.has_content_length)
    return refuse_line(
        {errc::request_malformed, "Transfer-Encoding after Content-Length; send one of them"});
  if (into.http_1_0)
    return refuse_line({errc::request_malformed, "HTTP/1.0 has no Transfer-Encoding"});
  if (!equal_ignoring_case(value, "chunked")) return refuse_transfer_coding(value);
  facts_.chunked = true;
  return framer_status::need_more;
}

/// Refuses a value other than `chunked`. If chunked is not the last coding, the end of the body
/// cannot be determined reliably (400, RFC 9112 section 6.3). If it is, the codings before it are
/// not supported (501, RFC 9112 section 6.1).
framer_status request_framer::refuse_transfer_coding(std::string_view value) {
  const auto text = "Transfer-Encoding " + in_quotes(value);
  if (list_ends_with(value, "chunked") && !list_has_only(value, "chunked"))
    return refuse_line(
        {errc::transfer_coding_unsupported, text + "; send the body with 'chunked' alone"});
  return refuse_line({errc::request_malformed, text + "; only 'chunked' is understood"});
}

framer_status request_framer::accept_expect(std::string_view value) {
  // A list, which may be empty and have several lines (RFC 9110 section 10.1.1).
  facts_.expects_other = facts_.expects_other || !list_has_only(value, "100-continue");
  facts_.expects_continue = facts_.expects_continue || list_has(value, "100-continue");
  return framer_status::need_more;
}

framer_status request_framer::keep_header(header h, const field_line& field, request& into) {
  if (hides_line_end(field.value))
    return refuse_line(
        {errc::request_malformed, "a percent-encoded CR, LF or NUL in the value of " +
                                      in_quotes(field.name) + "; leave it out"});
  if (h == header::host && !is_authority(field.value))
    return refuse_line({errc::request_malformed,
                        "Host " + in_quotes(field.value) + " is not a host with an optional port"});
  if (into.has(h) && !is_list_header(h))
    return refuse_line(
        {errc::request_malformed, "a second " + in_quotes(field.name) + "; send one"});
  into.append(h, field.value);
  return framer_status::need_more;
}

framer_status request_framer::end_head(request& into) {
  if (!into.has(header::host) && !into.http_1_0)
    return refuse(errc::request_malformed, "The Host header is missing; HTTP/1.1 requires it");
  // RFC 9112 section 3.2.2: the authority of an absolute-form target overrides Host.
  if (!authority_.empty()) into.set(header::host, authority_);
  if (facts_.expects_other)
    return refuse(errc::expectation_failed,
                  "Expect names something other than 100-continue, the only expectation that is "
                  "supported. Leave out the rest.");
  if (facts_.encoded) return refuse(content_coding_unsupported());
  if (facts_.content_length > limits_->body_limit_bytes)
    return refuse(body_too_large(limits_->body_limit_bytes));
  into.keep_alive = !facts_.close && (facts_.keep_alive || !into.http_1_0);
  return begin_body(into);
}

framer_status request_framer::begin_body(request& into) {
  if (!facts_.chunked && facts_.content_length == 0) return complete();
  // RFC 9110 section 10.1.1: the expectation of an HTTP/1.0 client is ignored.
  continue_due_ = facts_.expects_continue && !into.http_1_0;
  into.body.clear();
  body_limit_bytes_ = limits_->body_limit_bytes;
  if (continue_due_ || limits_->stops_before_bodies) {
    state_ = state::before_body;
    return framer_status::body_next;
  }
  enter_body();
  return framer_status::need_more;
}

framer_status request_framer::accept_body(std::uint64_t limit_bytes) {
  body_limit_bytes_ = std::min(limit_bytes, limits_->body_limit_bytes);
  if (facts_.content_length > body_limit_bytes_) return refuse(body_too_large(body_limit_bytes_));
  enter_body();
  return framer_status::need_more;
}

void request_framer::enter_body() noexcept {
  body_left_ = facts_.content_length;
  body_taken_ = 0;
  section_bytes_ = 0;
  lines_ = 0;
  state_ = facts_.chunked ? state::chunk_line : state::sized_body;
}

framer_status request_framer::read_sized_body(std::string_view& rest, request& into) {
  take_body(rest, into);
  return body_left_ == 0 ? complete() : framer_status::need_more;
}

/// Moves what has arrived of the `body_left_` announced bytes from `rest` to the body.
void request_framer::take_body(std::string_view& rest, request& into) {
  const auto part = rest.substr(0, std::min<std::uint64_t>(rest.size(), body_left_));
  rest.remove_prefix(part.size());
  continue_due_ = false;
  auto& body = into.body;
  if (!facts_.chunked && body.capacity() - body.size() < part.size()) {
    // A string that grows by itself may reserve twice the announced size, at the byte budget's
    // cost.
    const auto ahead = std::max({body.size(), part.size(), body_reserve_bytes});
    std::string larger;
    larger.reserve(body.size() + std::min<std::uint64_t>(body_left_, ahead));
    larger.append(body);
    body.swap(larger);
  }
  body.append(part);
  body_taken_ += part.size();
  body_left_ -= part.size();
}

framer_status request_framer::read_chunk_line(std::string_view& rest) {
  continue_due_ = false;
  const auto overhead_limit = chunk_overhead_limit_bytes + chunk_overhead_factor * body_taken_;
  const auto room =
      std::min(chunk_line_limit_bytes - line_.size(), overhead_limit - section_bytes_);
  std::string_view line;
  switch (take_line(rest, room, line)) {
  case line_status::unfinished: return framer_status::need_more;
  case line_status::over_limit:
    return refuse(errc::request_malformed, "Chunk lines are too long; send fewer extensions");
  case line_status::bare_lf:
    return refuse(errc::request_malformed, "A chunk line ends with LF alone; end it with CRLF");
  case line_status::whole: break;
  }
  const auto size = parse_chunk_line(line);
  if (!size) return refuse(size.error().code, "Chunk line: " + size.error().detail);
  line_.clear();
  if (*size > body_limit_bytes_ - body_taken_) return refuse(body_too_large(body_limit_bytes_));
  body_left_ = *size;
  if (*size == 0) section_bytes_ = 0;
  state_ = *size == 0 ? state::trailers : state::chunk_body;
  return framer_status::need_more;
}

framer_status request_framer::read_chunk_body(std::string_view& rest, request& into) {
  take_body(rest, into);
  if (body_left_ == 0) state_ = state::chunk_cr;
  return framer_status::need_more;
}

framer_status request_framer::read_chunk_end(std::string_view& rest) {
  const char found = rest.front();
  rest.remove_prefix(1);
  // Stays within the overhead limit, which the chunk's data has just raised by more than a CRLF.
  ++section_bytes_;
  if (found != (state_ == state::chunk_cr ? '\r' : '\n'))
    return refuse(errc::request_malformed, "A chunk is longer than its size line says: " +
                                               byte_name(found) + " where CRLF must follow it");
  state_ = state_ == state::chunk_cr ? state::chunk_lf : state::chunk_line;
  return framer_status::need_more;
}

framer_status request_framer::read_trailers(std::string_view& rest) {
  std::string_view line;
  switch (take_line(rest, trailer_limit_bytes - section_bytes_, line)) {
  case line_status::unfinished: return framer_status::need_more;
  case line_status::over_limit:
    return refuse(errc::head_too_large,
                  "The trailers are longer than " + std::to_string(trailer_limit_bytes) + " bytes");
  case line_status::bare_lf:
    return refuse(errc::request_malformed, "A trailer line ends with LF alone; end it with CRLF");
  case line_status::whole: break;
  }
  if (line.empty()) return complete();
  const auto status = accept_trailer(line);
  line_.clear();
  return status;
}

framer_status request_framer::accept_trailer(std::string_view line) {
  if (lines_ == limits_->header_limit)
    return refuse(errc::head_too_large, "There are more than " +
                                            std::to_string(limits_->header_limit) +
                                            " trailer lines");
  ++lines_;
  const auto field = parse_field_line(line);
  if (!field) return refuse(field.error().code, "Trailer line: " + field.error().detail);
  // RFC 9110 section 6.5.1: with these names, a parser that merges trailers into the head would
  // read the request differently.
  constexpr std::array<std::string_view, 6> forbidden = {
      "content-length", "transfer-encoding", "host", "authorization", "content-encoding", "expect"};
  for (const auto name : forbidden)
    if (equal_ignoring_case(field->name, name))
      return refuse(errc::request_malformed,
                    in_quotes(field->name) + " among the trailers; send it in the head");
  return framer_status::need_more;
}

framer_status request_framer::complete() noexcept {
  release();
  facts_ = {};
  section_bytes_ = 0;
  lines_ = 0;
  state_ = state::start;
  continue_due_ = false;
  return framer_status::complete;
}

framer_status request_framer::refuse(errc code, std::string detail) {
  return refuse({code, std::move(detail)});
}

framer_status request_framer::refuse(base::error why) {
  release();
  failure_ = std::move(why);
  state_ = state::failed;
  continue_due_ = false;
  return framer_status::failed;
}

/// Refuses the last line taken of the head. The error gives its number: the request line is line 1.
framer_status request_framer::refuse_line(const base::error& why) {
  const auto where = lines_ == 1 ? "Request line: " : "Head line " + std::to_string(lines_) + ": ";
  return refuse(why.code, where + why.detail);
}

framer_status request_framer::refuse_long_head() {
  const bool target =
      state_ == state::request_line && target_overruns(line_, limits_->target_limit_bytes);
  if (target)
    return refuse(errc::target_too_long, "The request target is longer than " +
                                             std::to_string(limits_->target_limit_bytes) +
                                             " bytes");
  return refuse(errc::head_too_large, "The request head is longer than " +
                                          std::to_string(limits_->head_limit_bytes) + " bytes");
}

/// Frees heap memory by swapping: assigning an empty string would keep it.
void request_framer::release() noexcept {
  const auto free = [](std::string& text) {
    if (text.capacity() > std::string{}.capacity())
      std::string{}.swap(text);
    else
      text.clear();
  };
  free(line_);
  free(authority_);
}

} // namespace matchcloud::http
