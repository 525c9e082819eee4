#pragma once

#include <cstddef>
#include <cstdint>

namespace matchcloud::simulation {

/// Random numbers determined by a seed alone, on every machine (SplitMix64; the standard library's
/// distributions differ between libraries).
class chance {
public:
  explicit chance(std::uint64_t seed) noexcept : state_{seed} {}

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15ULL;
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31U);
  }
  /// A number from 0 to `limit` - 1; `limit` must not be 0.
  std::size_t below(std::size_t limit) noexcept { return static_cast<std::size_t>(next() % limit); }
  /// A number in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) noexcept {
    return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
  }
  bool one_in(std::size_t many) noexcept { return below(many) == 0; }
  template <class Sequence>
  const auto& of(const Sequence& from) noexcept {
    return from[below(from.size())];
  }

private:
  std::uint64_t state_;
};

} // namespace matchcloud::simulation
