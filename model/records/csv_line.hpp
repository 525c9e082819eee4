#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// Appends `text` as a field of CSV (RFC 4180): in quotes if it has a comma, a quote or a line end.
void append_csv_field(std::string& out, std::string_view text);

/// Splits a line of CSV (RFC 4180), without its line end, into its fields. They replace those in
/// `fields` and point into `line`, whose bytes are overwritten, because quotes are removed in
/// place. An empty line is one empty field. Returns what is wrong with the line, if anything;
/// `fields` are then unspecified. A field that contains a line end is refused, because its quote is
/// not closed.
std::optional<std::string_view> split_csv_line(std::span<char> line,
                                               std::vector<std::string_view>& fields);

} // namespace matchcloud::model
