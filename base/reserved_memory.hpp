#pragma once

#include <cstddef>

namespace matchcloud::base {

/// Memory that grows in place: it reserves addresses first, which costs nothing, and takes
/// memory as needed. So growing copies nothing and needs no second array next to the first. The
/// memory starts as zeros, in huge pages if the kernel provides them: random look-ups then need
/// fewer page table steps, which in a virtual machine cost more than the look-up. One thread at
/// a time.
class reserved_memory {
public:
  reserved_memory() = default;
  /// Reserves addresses for `limit_bytes`. Throws `std::bad_alloc` if there are none.
  explicit reserved_memory(std::size_t limit_bytes);
  reserved_memory(reserved_memory&& other) noexcept;
  reserved_memory& operator=(reserved_memory&& other) noexcept;
  ~reserved_memory();

  /// Makes the first `bytes` usable, at most the limit; usable bytes stay usable. Throws
  /// `std::bad_alloc` if there is too little memory.
  void extend_to(std::size_t bytes);
  /// Releases the addresses that are not usable: the limit shrinks to the usable bytes.
  void trim() noexcept;

  std::byte* data() const noexcept { return begin_; }

private:
  std::byte* begin_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::size_t usable_bytes_ = 0;
};

} // namespace matchcloud::base
