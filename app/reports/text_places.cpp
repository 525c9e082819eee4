#include "app/reports/text_places.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

/// Advances `place` past one byte.
void pass(model::text_position& place, char c) noexcept {
  if (c == '\n')
    place = {place.line + 1, 1};
  else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80) // continuation bytes of UTF-8
    ++place.column;
}

} // namespace

text_places::text_places(std::string_view text) : text_{text} {
  marks_.reserve(text.size() / stride_bytes + 1);
  model::text_position place;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at % stride_bytes == 0) marks_.push_back(place);
    pass(place, text[at]);
  }
  if (text.size() % stride_bytes == 0) marks_.push_back(place);
}

model::text_position text_places::at(std::size_t offset) const noexcept {
  const auto end = std::min(offset, text_.size());
  auto place = marks_[end / stride_bytes];
  for (auto at = end - end % stride_bytes; at < end; ++at)
    pass(place, text_[at]);
  return place;
}

} // namespace matchcloud::app
