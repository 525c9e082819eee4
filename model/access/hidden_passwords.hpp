#pragma once

#include <string>

namespace matchcloud::model {

/// `text` with every possible `user:password` before an `@` replaced by three asterisks, so that a
/// message that repeats a value never repeats its password. The replaced part has a colon and
/// begins after the scheme or at the beginning of the word. Words end at white space, quotes,
/// commas, parentheses and angle brackets.
std::string hide_passwords(std::string text);

} // namespace matchcloud::model
