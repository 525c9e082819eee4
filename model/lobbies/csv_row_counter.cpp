#include "model/lobbies/csv_row_counter.hpp"

#include <algorithm>

namespace matchcloud::model {

void csv_row_counter::add(std::string_view piece) noexcept {
  while (!piece.empty()) {
    const auto quote = piece.find('"');
    const auto stretch = piece.substr(0, quote);
    if (quoted_) {
      begun_ = true;
    } else if (!stretch.empty()) {
      ended_ += static_cast<std::uint64_t>(std::count(stretch.begin(), stretch.end(), '\n'));
      begun_ = stretch.back() != '\n';
    }
    if (quote == std::string_view::npos) return;
    quoted_ = !quoted_;
    begun_ = true;
    piece.remove_prefix(quote + 1);
  }
}

} // namespace matchcloud::model
