#pragma once

#include "model/json/json_document.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// Finds lines and columns of many bytes of one text. Returns the same as `model::position_of`, but
/// reads at most `stride_bytes` per call. Construction is O(text).
class text_places {
public:
  static constexpr std::size_t stride_bytes = 1024;

  /// `text` must outlive this.
  explicit text_places(std::string_view text);

  model::text_position at(std::size_t offset) const noexcept;

private:
  std::string_view text_;
  /// The position of every `stride_bytes`-th byte.
  std::vector<model::text_position> marks_;
};

} // namespace matchcloud::app
