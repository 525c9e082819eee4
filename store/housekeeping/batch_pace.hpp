#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace matchcloud::store {

/// The size of a bulk removal's batches, and the rests between them. One thread.
class batch_pace {
public:
  /// How long a batch should take, including its commit. Others wait for it, for at most about 200
  /// ms.
  static constexpr std::chrono::milliseconds target{150};
  static constexpr std::size_t least = 500;
  static constexpr std::size_t most = 5'000;
  /// A rest is this many times as long as its batch took, so others lose at most a tenth.
  static constexpr int rest_factor = 10;

  /// The number of rows of the next batch.
  std::size_t size() const noexcept { return size_; }

  /// Notes how long a batch of `size` rows took. Returns how long to rest.
  std::chrono::milliseconds note(std::chrono::nanoseconds took) noexcept {
    const auto ns = std::max<double>(1, static_cast<double>(took.count()));
    // Assumes that half of it was the disk flush, which does not depend on the size.
    const auto factor = 2 * static_cast<double>(std::chrono::nanoseconds{target}.count()) / ns - 1;
    const auto wanted = static_cast<double>(size_) * std::clamp(factor, 0.0, 2.0);
    size_ = std::clamp(static_cast<std::size_t>(wanted), least, most);
    return std::chrono::ceil<std::chrono::milliseconds>(took * rest_factor);
  }

private:
  std::size_t size_ = least;
};

} // namespace matchcloud::store
