#pragma once

#include <rapidjson/document.h>

namespace matchcloud::model {

/// Expands the shorthand of a test case, anywhere in `value`:
/// - `{"$repeat": "ab", "times": 3}`: the string `ababab`; with `"first": "x"`: `xababab`;
/// - `{"$times": 65, "of": X}`: an array of 65 copies of X;
/// - `{"$times": 65, "name": "A#", "of": X}`: an object with the members `A0` to `A64`; without a
///   `#` in the name, all members have the same name. `"first": Y` and `"then": Z` put the elements
///   or members of Y before and those of Z after the copies;
/// - in X and in the name, `#` inside a string is replaced by the count, which starts at 0 or at
///   `"from"`; `{"$count": 8000}` is the number 8000 plus the count.
/// Throws std::invalid_argument for any other form.
void write_out(rapidjson::Value& value, rapidjson::Document::AllocatorType& allocator);

} // namespace matchcloud::model
