#pragma once

#include "model/json/rapidjson.hpp"

#include <optional>
#include <string_view>

namespace matchcloud::model {

/// The double that is nearest to a number as JSON writes it (RFC 8259 section 6); zero if the
/// number is too small for any other double. Nothing if it is larger than every double.
std::optional<double> nearest_double(std::string_view number);

/// Parses JSON in UTF-8 without recursion into `into`, which is valid only if the result is not an
/// error. Numbers that are written as integers and fit 64 bits become integers, all others the
/// nearest double. RapidJSON's own conversion is not used: at full precision it reads outside its
/// tables for some fractions, and without full precision it does not find the nearest double.
rapidjson::ParseResult parse_exactly(rapidjson::Document& into, std::string_view text);

} // namespace matchcloud::model
