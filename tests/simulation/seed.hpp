#pragma once

#include "base/clock.hpp"
#include "base/fault_point.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

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

/// The log of events, one line each. Two runs of the same seed produce the same trace.
class trace {
public:
  explicit trace(bool printed) noexcept : printed_{printed} {}

  /// `now_ms`: simulated time since the start.
  void add(std::int64_t now_ms, std::string_view what) {
    for (const auto c : what)
      take(static_cast<unsigned char>(c));
    take(static_cast<unsigned char>('\n'));
    take(static_cast<unsigned char>(now_ms));
    ++lines_;
    if (printed_)
      std::printf("%4zu %8.3f s  %.*s\n", step, static_cast<double>(now_ms) / 1'000,
                  static_cast<int>(what.size()), what.data());
  }

  std::uint64_t hash() const noexcept { return hash_; }
  std::size_t lines() const noexcept { return lines_; }

  /// The number of the current random step; events that follow from a step carry its number.
  std::size_t step = 0;

private:
  /// Hashes one byte (FNV-1a).
  void take(unsigned char byte) noexcept { hash_ = (hash_ ^ byte) * 0x100000001B3ULL; }

  bool printed_;
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
  std::size_t lines_ = 0;
};

/// What excuses an unexpected answer, besides a fault at a fault point.
enum class trouble : std::uint8_t { store, short_work, long_work, ingest_work };
inline constexpr std::size_t trouble_count = 4;

/// When each disturbance was last active, and how often actors died of faults. The oracle compares
/// the values at a request's begin and at its answer.
class disturbances {
public:
  void note(base::fault_point at, base::steady_time now) noexcept {
    points_[static_cast<std::size_t>(at)] = now;
  }
  void note(trouble which, base::steady_time now) noexcept {
    troubles_[static_cast<std::size_t>(which)] = now;
  }
  bool since(base::fault_point at, base::steady_time begin) const noexcept {
    return points_[static_cast<std::size_t>(at)] >= begin;
  }
  bool since(trouble which, base::steady_time begin) const noexcept {
    return troubles_[static_cast<std::size_t>(which)] >= begin;
  }

  /// By fault point, the actors that died of a fault there.
  std::array<std::uint64_t, base::fault_point_count> crashes{};
  /// The total time during which some child was not running.
  std::chrono::nanoseconds vacant{0};

private:
  std::array<base::steady_time, base::fault_point_count> points_{};
  std::array<base::steady_time, trouble_count> troubles_{};
};

} // namespace matchcloud::simulation
