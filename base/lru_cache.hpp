#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

namespace matchcloud::base {

/// A cache bounded in bytes that forgets what was used longest ago. Used by one thread. All
/// operations O(1) on average.
template <class Key, class Value, class Hash = std::hash<Key>>
class lru_cache {
public:
  explicit lru_cache(std::size_t limit_bytes) : limit_bytes_{limit_bytes} {}

  /// The value of `key`, now the most recently used, or null. Valid until the next `put`.
  const Value* get(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->value;
  }

  /// Keeps `value`, said to cost `bytes`, and forgets the oldest until all fit. A value larger than
  /// the whole cache is not kept. How many made room for it.
  std::size_t put(const Key& key, Value value, std::size_t bytes) {
    erase(key);
    if (bytes > limit_bytes_) return 0;
    std::size_t evicted = 0;
    for (; used_bytes_ + bytes > limit_bytes_; ++evicted)
      erase(order_.back().key);
    order_.push_front(entry{key, std::move(value), bytes});
    index_.emplace(key, order_.begin());
    used_bytes_ += bytes;
    return evicted;
  }

  void erase(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    used_bytes_ -= found->second->bytes;
    order_.erase(found->second);
    index_.erase(found);
  }

  void clear() {
    index_.clear();
    order_.clear();
    used_bytes_ = 0;
  }

  std::size_t size() const noexcept { return index_.size(); }
  std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
  struct entry {
    Key key;
    Value value;
    std::size_t bytes;
  };

  std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
  std::list<entry> order_;
  std::unordered_map<Key, typename std::list<entry>::iterator, Hash> index_;
};

} // namespace matchcloud::base
