#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

namespace matchcloud::base {

/// A cache bounded in bytes, with second-chance eviction (also called CLOCK). It evicts the entry
/// that was put first, but an entry that was used since then is moved behind all others once
/// instead. Entries in frequent use stay, as they would in an LRU list, but using an entry writes
/// only to that entry: with tens of thousands of entries, each neighbor in an LRU list would be a
/// cache miss. Used by one thread. All operations are O(1) on average. A moved-from cache can only
/// be assigned to.
template <class Key, class Value, class Hash = std::hash<Key>>
class second_chance_cache {
public:
  explicit second_chance_cache(std::size_t limit_bytes) : limit_bytes_{limit_bytes} {}

  // A copy's list would point into the original.
  second_chance_cache(const second_chance_cache&) = delete;
  second_chance_cache& operator=(const second_chance_cache&) = delete;
  second_chance_cache(second_chance_cache&&) noexcept = default;
  second_chance_cache& operator=(second_chance_cache&&) noexcept = default;
  ~second_chance_cache() = default;

  /// Returns the value of `key` and marks it as used, or null. Valid until the next `put`.
  const Value* get(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = true;
    return &found->second.value;
  }

  /// Stores `value`, accounted as `bytes`, and evicts others until all fit. A value larger than the
  /// whole cache is not kept. Returns the number of evicted entries.
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
  /// An entry of `entries_`, whose address is stable while it is there.
  struct entry {
    Value value;
    bool used = false;
    std::size_t bytes = 0;
    const Key* key = nullptr;
    entry* before = nullptr;
    entry* behind = nullptr;
  };

  /// Appends an entry to the eviction order.
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
  /// The ends of the eviction order; `first_` is evicted next.
  entry* first_ = nullptr;
  entry* last_ = nullptr;
};

} // namespace matchcloud::base
