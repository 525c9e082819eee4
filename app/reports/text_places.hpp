#pragma once

#include "model/json/json_document.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// Lines and columns of many bytes of one text. Says what `model::position_of` says, but looks at
/// no more than `stride_bytes` for each. Made in O(text).
class text_places {
public:
  static constexpr std::size_t stride_bytes = 1024;

  /// `text` must outlive this.
  explicit text_places(std::string_view text);

  model::text_position at(std::size_t offset) const noexcept;

private:
  std::string_view text_;
  /// The place of every `stride_bytes`-th byte.
  std::vector<model::text_position> marks_;
};

} // namespace matchcloud::app
