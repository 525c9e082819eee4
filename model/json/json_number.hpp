#pragma once

#include "model/json/rapidjson.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The end of the longest number (RFC 8259 section 6) at `at`; `at` itself if there is none.
std::size_t number_end(std::string_view text, std::size_t at) noexcept;

/// The double that is nearest to a number as JSON writes it (RFC 8259 section 6); zero if the
/// number is too small for any other double. Nothing if it is larger than every double.
std::optional<double> nearest_double(std::string_view number);

/// `text` with each number outside of strings replaced by `0` and spaces, so that all other bytes
/// keep their positions. What is malformed stays malformed.
std::string blank_numbers(std::string_view text);

/// A number in a JSON text that is not written as JSON requires.
struct number_mistake {
  /// Byte offset of the mistake.
  std::size_t offset;
  /// What is wrong and what to write instead; begins in lower case.
  std::string sentence;
};

/// The mistake in the number at or before `offset`, where a parser stopped with `code`. Nothing if
/// the parser did not stop for a number in the place of a value; digits in strings and names are
/// not numbers. `text` is as it was parsed; strings before `offset` may be overwritten.
std::optional<number_mistake>
find_number_mistake(std::string_view text, rapidjson::ParseErrorCode code, std::size_t offset);

} // namespace matchcloud::model
