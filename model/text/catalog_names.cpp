#include "model/text/catalog_names.hpp"

#include "model/text/hidden_characters.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

bool is_printable_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Whether `text` has a line end that exists only in Unicode (U+2028, U+2029). Where names are
/// shown, it breaks the line like a control character.
bool has_line_separator(std::string_view text) {
  return text.find("\xE2\x80\xA8") != std::string_view::npos ||
         text.find("\xE2\x80\xA9") != std::string_view::npos;
}

} // namespace

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && text.size() <= catalog_id_limit_bytes && text.front() != '-' &&
         text.back() != '-' && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// Must check the encoding: RapidJSON turns an escaped lone surrogate into ill-formed UTF-8.
bool is_name(std::string_view text) noexcept {
  if (text.find_first_not_of(' ') == std::string_view::npos) return false;
  if (is_printable_ascii(text)) return text.size() <= catalog_name_limit;
  if (find_malformed_utf8(text) != std::string_view::npos) return false;
  if (count_code_points(text) > catalog_name_limit) return false;
  return !find_hidden(text) && !has_line_separator(text);
}

} // namespace matchcloud::model
