#include "actors/reports/report_queries.hpp"

namespace matchcloud::actors {

namespace {

/// The end of the year 9999, in milliseconds since 1970.
constexpr std::int64_t latest_ms = 253'402'300'799'999;

} // namespace

base::expected<past_query> read_past_query(const query_parameters& of) {
  constexpr std::string_view moment = "milliseconds since 1970";
  const auto from_ms = read_number(of, "from", 0, latest_ms, moment);
  if (!from_ms) return tl::unexpected(from_ms.error());
  const auto to_ms = read_number(of, "to", 0, latest_ms, moment);
  if (!to_ms) return tl::unexpected(to_ms.error());
  const auto step = read_number(of, "step", 1, 3'600, "seconds");
  if (!step) return tl::unexpected(step.error());
  const auto last = read_number(of, "last", 1, 86'400, "seconds");
  if (!last) return tl::unexpected(last.error());
  past_query wanted;
  wanted.from_ms = *from_ms;
  wanted.to_ms = *to_ms;
  if (*last) wanted.last = std::chrono::seconds{**last};
  if (*step) wanted.step = std::chrono::seconds{**step};
  if (wanted.from_ms && wanted.to_ms && *wanted.from_ms >= *wanted.to_ms)
    return base::fail(base::errc::query_invalid,
                      "`from` is not before `to`. Swap them, or leave one out.");
  return wanted;
}

} // namespace matchcloud::actors
