#include "load/reply_reader.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "http/wire/message_lines.hpp"

#include <algorithm>

namespace matchcloud::load {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr int no_content = 204;
constexpr int not_modified = 304;
/// The length of `HTTP/1.1 200`.
constexpr std::size_t status_line_bytes = 12;

bool has_body(int status) noexcept {
  return status >= 200 && status != no_content && status != not_modified;
}

} // namespace

void reply_reader::reset(bool to_head) noexcept {
  held_.clear();
  unchunked_.clear();
  reply_ = {};
  begun_ = has_head_ = in_trailers_ = extra_bytes_ = false;
  by_ = delimiting::end;
  at_ = 0;
  length_ = 0;
  to_head_ = to_head;
}

reply_reader::progress reply_reader::feed(std::string_view bytes) {
  begun_ = begun_ || !bytes.empty();
  if (held_.size() + bytes.size() > reply_limit_bytes) return progress::malformed;
  if (!held_.empty()) {
    held_ += bytes;
    return parse(held_);
  }
  const auto done = parse(bytes);
  if (done == progress::more) held_ = bytes;
  return done;
}

reply_reader::progress reply_reader::end() {
  if (!has_head_ || by_ != delimiting::end) return progress::malformed;
  reply_.body = std::string_view{held_}.substr(at_);
  reply_.head = std::string_view{held_}.substr(head_at_, head_size_);
  reply_.closes = true;
  return progress::complete;
}

bool reply_reader::is_cut_at(std::size_t bytes) {
  if (!has_head_) return false;
  const std::string_view all{held_};
  const auto body = by_ == delimiting::chunks ? std::string_view{unchunked_} : all.substr(at_);
  if (body.size() < bytes) return false;
  reply_.body = body;
  reply_.head = all.substr(head_at_, head_size_);
  reply_.closes = true;
  return true;
}

reply_reader::progress reply_reader::parse(std::string_view all) {
  while (!has_head_) {
    const auto end = all.find("\r\n\r\n", at_);
    if (end == std::string_view::npos)
      return all.size() - at_ > head_limit_bytes ? progress::malformed : progress::more;
    if (!parse_head(all.substr(at_, end - at_))) return progress::malformed;
    head_at_ = std::min(all.find(line_end, at_), end) + line_end.size();
    head_size_ = end - std::min(head_at_, end);
    at_ = end + 2 * line_end.size();
    // An interim response (such as 100 Continue) precedes the final one.
    has_head_ = reply_.status >= 200;
  }
  return parse_body(all);
}

bool reply_reader::parse_head(std::string_view head) {
  reply_ = {};
  by_ = delimiting::end;
  const auto first = head.substr(0, head.find(line_end));
  if (first.size() < status_line_bytes || !first.starts_with("HTTP/1.") || first[8] != ' ')
    return false;
  const auto status = base::parse_decimal<int>(first.substr(9, 3));
  if (!status || *status < 100) return false;
  reply_.status = *status;
  reply_.closes = first[7] == '0';
  for (auto rest = head.substr(first.size()); !rest.empty();) {
    rest.remove_prefix(line_end.size());
    const auto line = rest.substr(0, rest.find(line_end));
    if (!take_field(line)) return false;
    rest.remove_prefix(line.size());
  }
  if (to_head_ || !has_body(reply_.status)) {
    by_ = delimiting::length;
    length_ = 0;
  }
  return true;
}

bool reply_reader::take_field(std::string_view line) {
  const auto field = http::parse_field_line(line);
  if (!field) return false;
  switch (http::find_framing_field(field->name)) {
  case http::framing_field::content_length: {
    const auto length = http::parse_content_length(field->value);
    if (!length || (*length > reply_limit_bytes && !to_head_)) return false;
    length_ = *length;
    if (by_ != delimiting::chunks) by_ = delimiting::length;
    return true;
  }
  case http::framing_field::transfer_encoding:
    by_ = delimiting::chunks;
    return http::list_has(field->value, "chunked");
  case http::framing_field::content_encoding:
    reply_.gzip = http::list_has(field->value, "gzip");
    return true;
  case http::framing_field::connection:
    reply_.closes = reply_.closes || http::list_has(field->value, "close");
    return true;
  case http::framing_field::expect:
  case http::framing_field::none:
    reply_.asks_back = reply_.asks_back || base::equal_ignoring_case(field->name, "retry-after");
    return true;
  }
  return true;
}

reply_reader::progress reply_reader::parse_body(std::string_view all) {
  switch (by_) {
  case delimiting::length:
    if (all.size() - at_ < length_) return progress::more;
    reply_.body = all.substr(at_, length_);
    return complete(all, all.size() - at_ == length_);
  case delimiting::chunks: return parse_chunks(all);
  case delimiting::end: break;
  }
  return progress::more;
}

/// Bytes after a complete reply belong to no request, so they make the reply malformed.
reply_reader::progress reply_reader::complete(std::string_view all, bool is_all) noexcept {
  reply_.head = all.substr(head_at_, head_size_);
  extra_bytes_ = !is_all;
  return is_all ? progress::complete : progress::malformed;
}

reply_reader::progress reply_reader::parse_chunks(std::string_view all) {
  for (;;) {
    const auto end = all.find(line_end, at_);
    if (end == std::string_view::npos)
      return all.size() - at_ > head_limit_bytes ? progress::malformed : progress::more;
    const auto line = all.substr(at_, end - at_);
    const auto behind = end + line_end.size();
    if (in_trailers_) {
      at_ = behind;
      if (!line.empty()) continue;
      reply_.body = unchunked_;
      return complete(all, at_ == all.size());
    }
    const auto size = http::parse_chunk_line(line);
    if (!size || *size > reply_limit_bytes) return progress::malformed;
    if (*size == 0) {
      in_trailers_ = true;
      at_ = behind;
      continue;
    }
    if (all.size() < behind + *size + line_end.size()) return progress::more;
    unchunked_ += all.substr(behind, *size);
    if (all.substr(behind + *size, line_end.size()) != line_end) return progress::malformed;
    at_ = behind + *size + line_end.size();
  }
}

} // namespace matchcloud::load
