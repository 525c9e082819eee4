#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::model {

/// Appends `text` (UTF-8) as a JSON string with its quotes. Escapes only what RFC 8259 section 7
/// requires.
void append_json_string(std::string& out, std::string_view text);

/// Appends `text` as a JSON string in ASCII, with its quotes, which is safe to print on a terminal.
/// Bytes that are not UTF-8 become U+FFFD.
void append_ascii_json_string(std::string& out, std::string_view text);

/// The number of bytes that `append_json_string` appends.
std::size_t json_string_bytes(std::string_view text) noexcept;

/// Appends `value` as a JSON number with at most three decimals, rounded half away from zero from
/// the exact binary value. No exponent, no trailing zeros, no negative zero. Values beyond plus or
/// minus 10^12 are printed as that limit, NaN as 0.
void append_thousandths(std::string& out, double value);

/// Appends `value` as the shortest JSON number without exponent that reads back as the same double.
/// Values that are not finite are printed as 0, and there is no negative zero.
void append_shortest(std::string& out, double value);

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
