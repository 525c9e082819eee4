#pragma once

#include <rapidjson/document.h>

namespace matchcloud::model {

/// Writes out what a case says shortly, anywhere in it:
/// - `{"$repeat": "ab", "times": 3}`: the string `ababab`; with `"first": "x"`: `xababab`;
/// - `{"$times": 65, "of": X}`: an array of 65 times X;
/// - `{"$times": 65, "name": "A#", "of": X}`: an object with the members `A0` to `A64`; where the
///   name has no `#`, all have the same. `"first": Y` and `"then": Z` add the elements or members
///   of Y before and those of Z after them;
/// - in X and the name, `#` inside a string is the count, from 0 or what `"from"` says, and
///   `{"$count": 8000}` is the number 8000 plus the count.
/// Throws std::invalid_argument where it is written otherwise.
void write_out(rapidjson::Value& value, rapidjson::Document::AllocatorType& allocator);

} // namespace matchcloud::model
