#pragma once

#include "model/json/json_text.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::model {

/// What is escaped in addition to what JSON requires.
enum class json_escapes : std::uint8_t {
  none,
  /// Escape everything but ASCII, so that names of files and members cannot act on a terminal.
  beyond_ascii,
};

/// Writes one JSON text part by part, without white space. Each function writes a value, or a
/// member's name before its value; the caller must call them in an order that makes a valid text.
class json_writer {
public:
  explicit json_writer(json_escapes escapes = json_escapes::none) : escapes_{escapes} {}

  /// The text written since the last call.
  std::string take() {
    last_ = out_.empty() ? last_ : out_.back();
    return std::exchange(out_, {});
  }

  json_writer& name(std::string_view text) {
    string(text);
    out_ += ':';
    return *this;
  }
  json_writer& text(std::string_view text) {
    string(text);
    return *this;
  }
  template <std::integral Number>
  json_writer& number(Number number) {
    separate();
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return *this;
  }
  /// Writes a value that is already JSON: a number, or another text.
  json_writer& raw(std::string_view text) {
    separate();
    out_ += text;
    return *this;
  }
  json_writer& null() { return raw("null"); }
  json_writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  json_writer& object() { return raw("{"); }
  json_writer& end_object() { return end('}'); }
  json_writer& array() { return raw("["); }
  json_writer& end_array() { return end(']'); }

private:
  /// Writes a comma before a value or a name, unless it is the first in its container.
  void separate() {
    const char before = out_.empty() ? last_ : out_.back();
    if (before != '\0' && before != '{' && before != '[' && before != ':') out_ += ',';
  }
  void string(std::string_view text) {
    separate();
    if (escapes_ == json_escapes::none)
      append_json_string(out_, text);
    else
      append_ascii_json_string(out_, text);
  }
  json_writer& end(char bracket) {
    out_ += bracket;
    return *this;
  }

  std::string out_;
  json_escapes escapes_;
  /// The last character of the text taken so far.
  char last_ = '\0';
};

} // namespace matchcloud::model
