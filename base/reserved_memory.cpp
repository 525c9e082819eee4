#include "base/reserved_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace matchcloud::base {

namespace {

constexpr std::size_t page_bytes = std::size_t{4} << 10U;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t step) noexcept {
  return (bytes + step - 1) / step * step;
}

/// The step by which memory grows: whole huge pages, if it is large enough for them.
constexpr std::size_t step_of(std::size_t reserved_bytes) noexcept {
  return reserved_bytes < huge_page_bytes ? page_bytes : huge_page_bytes;
}

} // namespace

reserved_memory::reserved_memory(std::size_t limit_bytes) {
  if (limit_bytes == 0) return;
  if (limit_bytes > PTRDIFF_MAX - 2 * huge_page_bytes) throw std::bad_alloc{};
  const auto alignment = step_of(limit_bytes);
  const auto wanted = rounded_up(limit_bytes, alignment);
  // The kernel aligns to its small pages; the excess is unmapped.
  const auto asked = wanted + alignment - page_bytes;
  void* const got = ::mmap(nullptr, asked, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc{};
  auto* const first = static_cast<std::byte*>(got);
  const auto before = rounded_up(reinterpret_cast<std::uintptr_t>(got), alignment) -
                      reinterpret_cast<std::uintptr_t>(got);
  if (before > 0) ::munmap(first, before);
  if (asked > before + wanted) ::munmap(first + before + wanted, asked - before - wanted);
  begin_ = first + before;
  reserved_bytes_ = wanted;
  // Only a hint: without huge pages everything still works, but more slowly.
  if (alignment == huge_page_bytes) ::madvise(begin_, reserved_bytes_, MADV_HUGEPAGE);
}

reserved_memory::reserved_memory(reserved_memory&& other) noexcept
    : begin_{std::exchange(other.begin_, nullptr)},
      reserved_bytes_{std::exchange(other.reserved_bytes_, 0)},
      usable_bytes_{std::exchange(other.usable_bytes_, 0)} {}

reserved_memory& reserved_memory::operator=(reserved_memory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(reserved_bytes_, other.reserved_bytes_);
  std::swap(usable_bytes_, other.usable_bytes_);
  return *this;
}

reserved_memory::~reserved_memory() {
  if (begin_ != nullptr) ::munmap(begin_, reserved_bytes_);
}

void reserved_memory::extend_to(std::size_t bytes) {
  if (bytes <= usable_bytes_) return;
  if (bytes > reserved_bytes_) throw std::bad_alloc{};
  const auto wanted = std::min(reserved_bytes_, rounded_up(bytes, step_of(reserved_bytes_)));
  const auto more = wanted - usable_bytes_;
  if (::mprotect(begin_ + usable_bytes_, more, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc{};
  usable_bytes_ = wanted;
}

void reserved_memory::trim() noexcept {
  if (reserved_bytes_ == usable_bytes_) return;
  ::munmap(begin_ + usable_bytes_, reserved_bytes_ - usable_bytes_);
  reserved_bytes_ = usable_bytes_;
  if (usable_bytes_ == 0) begin_ = nullptr;
}

} // namespace matchcloud::base
