#pragma once

#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace matchcloud::store {

/// Just after the last time that a store can hold.
inline constexpr std::uint64_t times_end = std::uint64_t{model::timestamp_limit_ms} + 1;
/// The class of a lobby that lasts from the first to the last time that a store can hold.
inline constexpr int longest_class = std::bit_width(times_end - 1) - 1;

/// Which lobbies of a duration class may have been alive in a span: they start after `after` and
/// before `end`, and stop after `begin` or start no earlier. Milliseconds since 1970.
struct class_span {
  std::int64_t after = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A lobby of class k lasts less than 2^(k+1) ms, so one that is alive after the span begins starts
/// less than that before the begin. A running one was alive in every span that ends after its
/// start.
inline class_span span_of_class(const model::time_span& span, int duration_class) noexcept {
  const auto clamped = [](std::uint64_t time) { // all later times are equivalent
    return static_cast<std::int64_t>(std::min(time, times_end));
  };
  if (duration_class == model::running_class) return {-1, 0, clamped(span.end)};
  const auto begin = clamped(span.begin);
  return {begin - (std::int64_t{1} << (duration_class + 1)), begin, clamped(span.end)};
}

} // namespace matchcloud::store
