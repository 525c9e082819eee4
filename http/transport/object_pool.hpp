#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// Keeps objects for reuse. One thread.
template <class Object>
class object_pool {
public:
  /// Keeps at most `limit` objects.
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
  /// Keeps an object, or destroys it where the pool is full.
  void keep(Object used) {
    if (!is_full()) kept_.push_back(std::move(used));
  }

  /// Destroys the objects that nobody needed since the last call and returns how many.
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
  /// The smallest number of kept objects since `drop_unused`.
  std::size_t unused_ = 0;
};

} // namespace matchcloud::http
