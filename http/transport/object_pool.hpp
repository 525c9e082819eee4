#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// Objects that are used again instead of being made anew. One thread.
template <class Object>
class object_pool {
public:
  /// Keeps at most so many.
  explicit object_pool(std::size_t limit) noexcept : limit_{limit} {}

  std::optional<Object> take() {
    if (kept_.empty()) return std::nullopt;
    std::optional<Object> taken{std::move(kept_.back())};
    kept_.pop_back();
    unused_ = std::min(unused_, kept_.size());
    return taken;
  }

  bool is_full() const noexcept { return kept_.size() >= limit_; }
  bool is_empty() const noexcept { return kept_.empty(); }
  std::size_t size() const noexcept { return kept_.size(); }
  /// Destroyed at once where the pool is full.
  void keep(Object used) {
    if (!is_full()) kept_.push_back(std::move(used));
  }

  /// Destroys those that nobody needed since the last call, for their memory is others'; how many.
  std::size_t drop_unused() {
    const auto dropped = unused_;
    kept_.resize(kept_.size() - dropped);
    kept_.shrink_to_fit();
    unused_ = kept_.size();
    return dropped;
  }

private:
  std::size_t limit_;
  std::vector<Object> kept_;
  /// The fewest that were kept since `drop_unused`.
  std::size_t unused_ = 0;
};

} // namespace matchcloud::http
