#include "actors/reports/report_queries.hpp"

#include "base/failure.hpp"

namespace matchcloud::actors {

namespace {

/// The end of the year 9999, in milliseconds since 1970.
constexpr std::int64_t latest_ms = 253'402'300'799'999;

} // namespace

base::expected<past_query> read_past_query(const query_parameters& of) {
  constexpr std::string_view moment = "milliseconds since 1970";
  return base::attempt([&] {
    past_query wanted;
    wanted.from_ms = read_number(of, "from", 0, latest_ms, moment);
    wanted.to_ms = read_number(of, "to", 0, latest_ms, moment);
    if (const auto step = read_number(of, "step", 1, 3'600, "seconds"))
      wanted.step = std::chrono::seconds{*step};
    if (const auto last = read_number(of, "last", 1, 86'400, "seconds"))
      wanted.last = std::chrono::seconds{*last};
    if (wanted.from_ms && wanted.to_ms && *wanted.from_ms >= *wanted.to_ms)
      throw base::failure{base::errc::query_invalid,
                          "`from` is not before `to`. Swap them, or leave one out."};
    return wanted;
  });
}

} // namespace matchcloud::actors
