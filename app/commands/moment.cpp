#include "app/commands/moment.hpp"

#include "cli/duration.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::app {

std::optional<std::int64_t> parse_time_or_date(std::string_view text) {
  constexpr std::string_view date = "2026-01-31";
  if (text.size() != date.size()) return model::parse_timestamp(text);
  return model::parse_timestamp(std::string{text} + "T00:00:00Z");
}

base::expected<std::int64_t> parse_moment(std::string_view option, const std::string& text,
                                          std::int64_t now_ms, direction where) {
  if (const auto duration = cli::parse_whole_duration(text))
    return where == direction::ahead ? now_ms + duration->count()
                                     : std::max<std::int64_t>(now_ms - duration->count(), 0);
  if (const auto time = parse_time_or_date(text)) return *time;
  return base::fail(base::errc::query_invalid,
                    std::string{option} + " " + model::quoted_excerpt(text) +
                        " is neither a date (2027-01-31) or time (2027-01-31T00:00:00Z) nor " +
                        std::string{cli::duration_allowed});
}

} // namespace matchcloud::app
