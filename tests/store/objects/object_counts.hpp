#pragma once

#include "tests/fixtures/shown_metrics.hpp"

#include <cmath>
#include <cstdint>

namespace matchcloud::store {

/// What a store, or a client of its service, shows of its calls; all 0 in an engine without a
/// service.
struct object_counts {
  std::uint64_t in_progress = 0;
  std::uint64_t in_progress_limit = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t overloaded = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::int64_t answered_ts = 0;

  friend bool operator==(const object_counts&, const object_counts&) = default;
};

template <class Source>
object_counts counts_of(const Source& from) {
  auto shown = fixtures::shown_by(from);
  const auto get = [&](const std::string& name) {
    return static_cast<std::uint64_t>(std::llround(shown["matchcloud_objects_" + name]));
  };
  return {get("calls_in_progress"),
          get("calls_limit"),
          get("calls_total{outcome=\"succeeded\"}"),
          get("calls_total{outcome=\"failed\"}"),
          get("calls_refused_total"),
          get("calls_repeated_total"),
          get("sent_bytes_total"),
          get("received_bytes_total"),
          std::llround(shown["matchcloud_objects_answered_timestamp_seconds"] * 1'000)};
}

} // namespace matchcloud::store
