#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// Prints `text` to stdout. Fails with `io_failed` and the reason.
base::expected<void> print(std::string_view text);

/// Prints `text` to stdout. Returns false if that fails, and reports it on stderr in the name of
/// `program`: "matchcloud audit".
bool print(std::string_view program, std::string_view text);

/// `text` with `indent` blanks at the beginning of each line but the first.
std::string indented(std::string_view text, std::size_t indent);

/// Tells people on stderr, in the name of `program`: "matchcloud audit". Further lines of `what`
/// are indented, so that a line which others wrote does not look like one of the program's.
void say(std::string_view program, std::string_view what);
/// What `say` prints, without the last line end.
std::string said(std::string_view program, std::string_view what);

} // namespace matchcloud::cli
