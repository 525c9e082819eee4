#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

namespace matchcloud::base {

/// A cache bounded in bytes. What has to make room is the entry that was put first, but one that
/// was used since goes behind all others instead, once (second chance, also called CLOCK): what is
/// used often stays, as in a list in order of use, but using an entry writes to nothing but itself.
/// With tens of thousands of entries each neighbour would have to come from memory. Used by one
/// thread. All operations O(1) on average. Moved from, it can only be assigned to.
template <class Key, class Value, class Hash = std::hash<Key>>
class second_chance_cache {
public:
  explicit second_chance_cache(std::size_t limit_bytes) : limit_bytes_{limit_bytes} {}

  // A copy's order would point into the original.
  second_chance_cache(const second_chance_cache&) = delete;
  second_chance_cache& operator=(const second_chance_cache&) = delete;
  second_chance_cache(second_chance_cache&&) noexcept = default;
  second_chance_cache& operator=(second_chance_cache&&) noexcept = default;
  ~second_chance_cache() = default;

  /// The value of `key`, now used, or null. Valid until the next `put`.
  const Value* get(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = true;
    return &found->second.value;
  }

  /// Keeps `value`, said to cost `bytes`, and forgets others until all fit. A value larger than the
  /// whole cache is not kept. How many made room for it.
  std::size_t put(const Key& key, Value value, std::size_t bytes) {
    erase(key);
    if (bytes > limit_bytes_) return 0;
    std::size_t evicted = 0;
    while (used_bytes_ + bytes > limit_bytes_) {
      if (std::exchange(first_->used, false)) {
        auto& spared = *first_;
        unlink(spared);
        link(spared);
      } else {
        erase(*first_->key);
        ++evicted;
      }
    }
    const auto place = entries_.emplace(key, entry{std::move(value)}).first;
    place->second.bytes = bytes;
    place->second.key = &place->first;
    link(place->second);
    used_bytes_ += bytes;
    return evicted;
  }

  void erase(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    used_bytes_ -= found->second.bytes;
    unlink(found->second);
    entries_.erase(found);
  }

  void clear() {
    entries_.clear();
    first_ = last_ = nullptr;
    used_bytes_ = 0;
  }

  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
  /// Where `entries_` has it, as long as it is there.
  struct entry {
    Value value;
    bool used = false;
    std::size_t bytes = 0;
    const Key* key = nullptr;
    entry* before = nullptr;
    entry* behind = nullptr;
  };

  /// At the end.
  void link(entry& which) noexcept {
    which.before = last_;
    which.behind = nullptr;
    (last_ != nullptr ? last_->behind : first_) = &which;
    last_ = &which;
  }

  void unlink(entry& which) noexcept {
    (which.before != nullptr ? which.before->behind : first_) = which.behind;
    (which.behind != nullptr ? which.behind->before : last_) = which.before;
  }

  std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
  std::unordered_map<Key, entry, Hash> entries_;
  /// The order in which they make room.
  entry* first_ = nullptr;
  entry* last_ = nullptr;
};

} // namespace matchcloud::base
