#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace matchcloud::simulation {

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

} // namespace matchcloud::simulation
