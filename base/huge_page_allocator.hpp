#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace matchcloud::base {

/// Allocates large arrays in huge pages as far as the kernel provides them, for tables that are
/// read at random: a look-up then needs fewer steps through page tables, which in a virtual machine
/// cost more than the look-up. Smaller arrays are allocated as usual.
template <class T>
struct huge_page_allocator {
  using value_type = T;

  huge_page_allocator() = default;
  template <class Other>
  explicit huge_page_allocator(const huge_page_allocator<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    if (bytes < page_bytes) return static_cast<T*>(::operator new(bytes));
    const auto whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* const memory = ::operator new(whole, std::align_val_t{page_bytes});
    ::madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < page_bytes)
      ::operator delete(memory);
    else
      ::operator delete(memory, std::align_val_t{page_bytes});
  }

  friend bool operator==(const huge_page_allocator&, const huge_page_allocator&) = default;

private:
  static constexpr std::size_t page_bytes = std::size_t{2} << 20U;
};

} // namespace matchcloud::base
