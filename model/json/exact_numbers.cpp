#include "model/json/exact_numbers.hpp"

#include <rapidjson/encodedstream.h>
#include <rapidjson/memorystream.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace matchcloud::model {

namespace {

constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                           rapidjson::kParseNumbersAsStringsFlag;

/// The number that all of `text` spells; nothing if `Number` cannot hold it.
template <class Number>
std::optional<Number> read(std::string_view text) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (stop != end || status != std::errc{}) return std::nullopt;
  return number;
}

/// Whether a number that no double can hold is too small and not too large: whether its first digit
/// other than 0 has a negative power of ten.
bool is_tiny(std::string_view number) {
  const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
  const auto digits = number.substr(0, exponent_at);
  const auto point = std::min(digits.find('.'), digits.size());
  const auto first = digits.find_first_of("123456789");
  const auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (exponent_at == number.size()) return power < 0;
  auto exponent = number.substr(exponent_at + 1);
  const bool is_negative = exponent.starts_with('-');
  if (exponent.starts_with('+') || is_negative) exponent.remove_prefix(1);
  const auto size = read<std::int64_t>(exponent);
  // More digits than 64 bits hold outweigh any power that a text can spell.
  if (!size) return is_negative;
  return power + (is_negative ? -*size : *size) < 0;
}

/// Passes everything that the reader finds on to the document, and converts numbers.
struct numbers_to_values : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, numbers_to_values> {
  rapidjson::Document* to;

  explicit numbers_to_values(rapidjson::Document& into) : to{&into} {}

  bool Null() { return to->Null(); }
  bool Bool(bool value) { return to->Bool(value); }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const std::string_view number{text, length};
    if (const auto integer = read<std::int64_t>(number)) return to->Int64(*integer);
    if (const auto integer = read<std::uint64_t>(number)) return to->Uint64(*integer);
    const auto value = nearest_double(number);
    return value && to->Double(*value);
  }
  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return to->String(text, length, copy);
  }
  bool StartObject() { return to->StartObject(); }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    return to->Key(text, length, copy);
  }
  bool EndObject(rapidjson::SizeType members) { return to->EndObject(members); }
  bool StartArray() { return to->StartArray(); }
  bool EndArray(rapidjson::SizeType elements) { return to->EndArray(elements); }
};

} // namespace

std::optional<double> nearest_double(std::string_view number) {
  double value = 0;
  const auto status = std::from_chars(number.data(), number.data() + number.size(), value).ec;
  if (status == std::errc{}) return value;
  if (is_tiny(number)) return number.starts_with('-') ? -0.0 : 0.0;
  return std::nullopt;
}

rapidjson::ParseResult parse_exactly(rapidjson::Document& into, std::string_view text) {
  rapidjson::ParseResult result;
  auto read_all = [&](rapidjson::Document& document) {
    rapidjson::MemoryStream bytes{text.data(), text.size()};
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> from{bytes};
    rapidjson::Reader reader;
    numbers_to_values handler{document};
    result = reader.Parse<flags>(from, handler);
    return !result.IsError();
  };
  into.Populate(read_all);
  // This is the only reason for which the handler ends the parsing.
  if (result.Code() == rapidjson::kParseErrorTermination)
    result.Set(rapidjson::kParseErrorNumberTooBig, result.Offset());
  return result;
}

} // namespace matchcloud::model
