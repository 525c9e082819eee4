#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace matchcloud::base {

/// A cache bounded in bytes, with second-chance eviction (also called CLOCK). It evicts the entry
/// that was put first, but if that entry was used since then, it moves to the end once instead.
/// Entries in frequent use stay, as they would in an LRU list, but using an entry writes only to
/// that entry: with tens of thousands of entries, each neighbor in an LRU list would be a cache
/// miss. Finding an entry reads two lines of memory: a slot of the index, and the entry. Used by
/// one thread. All operations are O(1) on average. A moved-from cache can only be assigned to.
template <class Key, class Value, class Hash = std::hash<Key>>
class second_chance_cache {
public:
  explicit second_chance_cache(std::size_t limit_bytes) : limit_bytes_{limit_bytes} {}

  second_chance_cache(const second_chance_cache&) = delete;
  second_chance_cache& operator=(const second_chance_cache&) = delete;
  second_chance_cache(second_chance_cache&&) noexcept = default;
  second_chance_cache& operator=(second_chance_cache&&) noexcept = default;
  ~second_chance_cache() = default;

  /// Returns the value of `key` and marks it as used, or null. Valid until the next `put`.
  const Value* get(const Key& key) {
    const auto at = slot_of(key);
    if (at == none) return nullptr;
    auto& found = entries_[index_[at].entry];
    if (!found.used) found.used = true; // not written again: that would cost other cores the line
    return &found.value;
  }

  /// Prefetches the part of the index that `get` will read.
  void prefetch_index(const Key& key) const noexcept {
    if (!index_.empty()) __builtin_prefetch(&index_[home_of({tag_of(key), none})]);
  }
  /// Prefetches the entry that `get` will probably read; call it after the index part has
  /// arrived.
  void prefetch_entry(const Key& key) const noexcept {
    if (index_.empty()) return;
    const auto& first = index_[home_of({tag_of(key), none})];
    if (first.entry != none) __builtin_prefetch(&entries_[first.entry]);
  }

  /// Stores `value`, accounted as `bytes`, and evicts others until all fit. A value larger than the
  /// whole cache is not kept. Returns the number of evicted entries.
  std::size_t put(const Key& key, Value value, std::size_t bytes) {
    return put(key, std::move(value), bytes, [](Value&&) {});
  }
  /// As above, and passes each evicted value to `evicted`.
  template <class Evicted>
  std::size_t put(const Key& key, Value value, std::size_t bytes, const Evicted& evicted) {
    erase(key);
    if (bytes > limit_bytes_) return 0;
    std::size_t count = 0;
    while (used_bytes_ + bytes > limit_bytes_) {
      if (std::exchange(entries_[first_].used, false)) {
        const auto spared = first_;
        unlink(spared);
        link(spared);
      } else {
        evicted(std::move(entries_[first_].value));
        erase(Key{entries_[first_].key});
        ++count;
      }
    }
    const auto made = take_entry();
    entries_[made].key = key;
    entries_[made].value = std::move(value);
    entries_[made].bytes = bytes;
    link(made);
    used_bytes_ += bytes;
    if (2 * ++size_ > index_.size()) grow_index();
    insert({tag_of(key), made});
    return count;
  }

  void erase(const Key& key) {
    const auto at = slot_of(key);
    if (at == none) return;
    const auto gone = index_[at].entry;
    close_gap(at);
    unlink(gone);
    used_bytes_ -= entries_[gone].bytes;
    entries_[gone] = {};
    free_.push_back(gone);
    --size_;
  }

  void clear() {
    entries_.clear();
    free_.clear();
    index_.clear();
    first_ = last_ = none;
    size_ = used_bytes_ = 0;
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t used_bytes() const noexcept { return used_bytes_; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::size_t least_index = 16;

  struct entry {
    Key key{};
    Value value{};
    std::size_t bytes = 0;
    /// Positions in `entries_`, in the eviction order.
    std::uint32_t before = none;
    std::uint32_t behind = none;
    bool used = false;
  };

  /// Points to an entry; found by linear probing from the position that its tag gives.
  struct slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = none;
  };

  static std::uint32_t tag_of(const Key& key) noexcept {
    // Fibonacci hashing: the standard library's hash of a number is the number.
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
    return static_cast<std::uint32_t>(Hash{}(key)*golden >> 32U);
  }

  std::size_t behind(std::size_t at) const noexcept { return (at + 1) & (index_.size() - 1); }
  std::size_t home_of(const slot& which) const noexcept { return which.tag & (index_.size() - 1); }

  /// The position in the index; `none` if the key is not in it.
  std::size_t slot_of(const Key& key) const noexcept {
    if (index_.empty()) return none;
    const auto tag = tag_of(key);
    for (auto at = home_of({tag, none});; at = behind(at)) {
      if (index_[at].entry == none) return none;
      if (index_[at].tag == tag && entries_[index_[at].entry].key == key) return at;
    }
  }

  void insert(slot which) noexcept {
    auto at = home_of(which);
    while (index_[at].entry != none)
      at = behind(at);
    index_[at] = which;
  }

  void grow_index() {
    const auto old =
        std::exchange(index_, std::vector<slot>(index_.empty() ? least_index : 2 * index_.size()));
    for (const auto& each : old)
      if (each.entry != none) insert(each);
  }

  /// Empties a slot and moves later ones up, so that probing does not stop at the gap.
  void close_gap(std::size_t gap) noexcept {
    for (auto at = behind(gap); index_[at].entry != none; at = behind(at)) {
      const auto mask = index_.size() - 1;
      const auto distance = (at - home_of(index_[at])) & mask;
      if (distance < ((at - gap) & mask)) continue; // its home is behind the gap
      index_[gap] = index_[at];
      gap = at;
    }
    index_[gap] = {};
  }

  std::uint32_t take_entry() {
    if (free_.empty()) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const auto taken = free_.back();
    free_.pop_back();
    return taken;
  }

  /// Appends an entry to the eviction order.
  void link(std::uint32_t which) noexcept {
    entries_[which].before = last_;
    entries_[which].behind = none;
    (last_ != none ? entries_[last_].behind : first_) = which;
    last_ = which;
  }

  void unlink(std::uint32_t which) noexcept {
    const auto& gone = entries_[which];
    (gone.before != none ? entries_[gone.before].behind : first_) = gone.behind;
    (gone.behind != none ? entries_[gone.behind].before : last_) = gone.before;
  }

  std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
  std::size_t size_ = 0;
  std::vector<entry> entries_;
  /// Free positions in `entries_`.
  std::vector<std::uint32_t> free_;
  /// A power of two of slots, at most half of them in use.
  std::vector<slot> index_;
  /// The ends of the eviction order; `first_` is evicted next.
  std::uint32_t first_ = none;
  std::uint32_t last_ = none;
};

} // namespace matchcloud::base
