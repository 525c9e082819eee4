#pragma once

#include "base/reserved_memory.hpp"

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace matchcloud::base {

/// An array that grows in place, for tables that are read at random. Threads may use it like a
/// vector: one writer or many readers. Functions that allocate throw `std::bad_alloc`.
template <class T>
class huge_page_array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  huge_page_array() = default;
  /// An empty array that can grow to `limit` elements.
  explicit huge_page_array(std::size_t limit) : memory_{checked_bytes(limit)} {}
  huge_page_array(huge_page_array&& other) noexcept
      : memory_{std::move(other.memory_)}, size_{std::exchange(other.size_, 0)} {}
  huge_page_array& operator=(huge_page_array&& other) noexcept {
    memory_ = std::move(other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~huge_page_array() = default;

  /// Appends `count` elements of zero bytes.
  std::span<T> extend(std::size_t count) {
    memory_.extend_to((size_ + count) * sizeof(T));
    size_ += count;
    return {data() + size_ - count, count};
  }
  void push_back(T value) { extend(1).front() = value; }
  /// Gives up room for more elements.
  void trim() noexcept { memory_.trim(); }

  T* data() noexcept { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const noexcept { return reinterpret_cast<const T*>(memory_.data()); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t at) noexcept { return data()[at]; }
  const T& operator[](std::size_t at) const noexcept { return data()[at]; }

private:
  static std::size_t checked_bytes(std::size_t limit) {
    if (limit > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc{};
    return limit * sizeof(T);
  }

  reserved_memory memory_;
  std::size_t size_ = 0;
};

} // namespace matchcloud::base
