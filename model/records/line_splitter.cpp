#include "model/records/line_splitter.hpp"

#include "model/text/unicode.hpp"

#include <cstring>
#include <string_view>

namespace matchcloud::model {

namespace {

/// Removes a CR at the end and, on the first line, a byte order mark.
void trim(input_line& line) {
  auto& text = line.text;
  if (!text.empty() && text.back() == '\r') {
    text.back() = '\0';
    text = text.first(text.size() - 1);
  }
  if (line.number == 1 && std::string_view{text.data(), text.size()}.starts_with(byte_order_mark))
    text = text.subspan(byte_order_mark.size());
  if (text.size() <= line_limit_bytes) return;
  line.too_long = true;
  text = {};
}

/// The limit of a buffered line, which still includes a CR before the line end and a byte order
/// mark.
constexpr std::size_t held_limit_bytes = line_limit_bytes + 1 + byte_order_mark.size();

} // namespace

std::optional<input_line> line_splitter::next() {
  forget_released();
  while (!block_.empty()) {
    auto* const end = static_cast<char*>(std::memchr(block_.data(), '\n', block_.size()));
    if (end == nullptr) {
      buffer(block_);
      block_ = {};
      return std::nullopt;
    }
    const auto length = static_cast<std::size_t>(end - block_.data());
    const auto part = block_.first(length);
    block_ = block_.subspan(length + 1);
    *end = '\0';
    input_line line;
    if (held_.empty() && !too_long_) {
      line = {++number_, part, false};
      trim(line);
    } else {
      buffer(part);
      line = release();
    }
    if (line.too_long || !line.text.empty()) return line;
    forget_released();
  }
  return std::nullopt;
}

std::optional<input_line> line_splitter::last() {
  forget_released();
  if (held_.empty() && !too_long_) return std::nullopt;
  const auto line = release();
  if (line.too_long || !line.text.empty()) return line;
  return std::nullopt;
}

void line_splitter::buffer(std::span<const char> part) {
  too_long_ = too_long_ || held_.size() + part.size() > held_limit_bytes;
  if (too_long_)
    held_.clear();
  else
    held_.append(part.data(), part.size());
}

void line_splitter::forget_released() {
  if (released_) held_.clear();
  released_ = false;
}

input_line line_splitter::release() {
  input_line line{++number_, {held_.data(), held_.size()}, too_long_};
  trim(line);
  released_ = true;
  too_long_ = false;
  return line;
}

} // namespace matchcloud::model
