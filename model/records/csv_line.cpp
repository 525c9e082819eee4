#include "model/records/csv_line.hpp"

#include <algorithm>
#include <cstddef>

namespace matchcloud::model {

namespace {

/// Moves a field's text to the position of its opening quote, without the quotes around it and the
/// second quote of each pair in it. `at` is the position after the opening quote, and becomes the
/// one after the closing quote. Nothing: the closing quote is missing.
std::optional<std::string_view> unquote(std::span<char> line, std::size_t& at) {
  const auto begin = at - 1;
  auto end = begin;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') {
      const bool is_pair = at + 1 < line.size() && line[at + 1] == '"';
      if (!is_pair) {
        ++at;
        return std::string_view{line.data() + begin, end - begin};
      }
      ++at;
    }
    line[end++] = line[at];
  }
  return std::nullopt;
}

} // namespace

void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of("\",\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (auto quote = text.find('"'); quote != text.npos; quote = text.find('"')) {
    out.append(text.substr(0, quote)).append("\"\"");
    text.remove_prefix(quote + 1);
  }
  out.append(text) += '"';
}

std::optional<std::string_view> split_csv_line(std::span<char> line,
                                               std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t at = 0;; ++at) {
    if (at < line.size() && line[at] == '"') {
      const auto field = unquote(line, ++at);
      if (!field) return "A quoted value does not end on its line. Add the quote at its end.";
      if (at < line.size() && line[at] != ',')
        return "Text follows the quote at the end of a value. Double each quote within a value.";
      fields.push_back(*field);
    } else {
      const auto begin = line.begin() + static_cast<std::ptrdiff_t>(at);
      const auto length = static_cast<std::size_t>(std::find(begin, line.end(), ',') - begin);
      fields.emplace_back(line.data() + at, length);
      if (fields.back().find('"') != std::string_view::npos)
        return "A value that is not quoted contains a quote. Quote the whole value and double "
               "each quote within it.";
      at += length;
    }
    if (at == line.size()) return std::nullopt;
  }
}

} // namespace matchcloud::model
