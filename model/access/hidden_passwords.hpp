#pragma once

#include <string>

namespace matchcloud::model {

/// `text` with what stands before an `@` replaced by three asterisks, from the scheme or the begin
/// of the word on, where it has a colon and so may be `user:password`: a message that repeats a
/// value which somebody gave never repeats its password. Words end at white space, quotes, commas
/// and parentheses.
std::string hide_passwords(std::string text);

} // namespace matchcloud::model
