#pragma once

#include "model/json/rapidjson.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::cli {

/// Writes one JSON text part by part, in ASCII: no name of a file or member acts on a terminal.
/// Every function writes a value, or a member's name before its value; the caller sees to it that
/// they make a text.
class json_stream {
public:
  /// What was written since the last time.
  std::string take() {
    std::string part{buffer_.GetString(), buffer_.GetSize()};
    buffer_.Clear();
    return part;
  }

  json_stream& name(std::string_view text) {
    writer_.Key(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return *this;
  }
  json_stream& text(std::string_view text) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return *this;
  }
  json_stream& number(std::uint64_t number) {
    writer_.Uint64(number);
    return *this;
  }
  /// A number that is written already.
  json_stream& digits(std::string_view text) {
    writer_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
    return *this;
  }
  json_stream& null() {
    writer_.Null();
    return *this;
  }
  json_stream& boolean(bool value) {
    writer_.Bool(value);
    return *this;
  }
  json_stream& object() {
    writer_.StartObject();
    return *this;
  }
  json_stream& end_object() {
    writer_.EndObject();
    return *this;
  }
  json_stream& array() {
    writer_.StartArray();
    return *this;
  }
  json_stream& end_array() {
    writer_.EndArray();
    return *this;
  }

private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer_{
      buffer_};
};

} // namespace matchcloud::cli
