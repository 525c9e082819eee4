#pragma once

#include <cstddef>

namespace matchcloud::base {

/// Memory that grows in place: addresses are reserved at first and cost nothing, memory is taken as
/// it is wanted. So growing copies nothing and needs no second array beside the first. It is of
/// zeros, and in huge pages as far as the kernel provides them: look-ups at random then need fewer
/// steps through page tables, which in a virtual machine cost more than the look-up. One thread at
/// a time.
class reserved_memory {
public:
  reserved_memory() = default;
  /// Reserves addresses for `limit_bytes`. Throws `std::bad_alloc` if there are none.
  explicit reserved_memory(std::size_t limit_bytes);
  reserved_memory(reserved_memory&& other) noexcept;
  reserved_memory& operator=(reserved_memory&& other) noexcept;
  ~reserved_memory();

  /// Makes the first `bytes` usable, at most the limit; those that are stay so. Throws
  /// `std::bad_alloc` if there is too little memory.
  void extend_to(std::size_t bytes);
  /// Gives up the addresses that are not usable: the limit is then what is.
  void trim() noexcept;

  std::byte* data() const noexcept { return begin_; }

private:
  std::byte* begin_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::size_t usable_bytes_ = 0;
};

} // namespace matchcloud::base
