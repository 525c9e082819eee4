#include "app/commands/moment.hpp"

#include "cli/duration.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

/// Code points of the user's text that a message quotes.
constexpr std::size_t echo_limit = 64;

} // namespace

base::expected<std::int64_t> parse_moment(std::string_view option, const std::string& text,
                                          std::int64_t now_ms, direction where) {
  if (const auto duration = cli::parse_whole_duration(text))
    return where == direction::ahead ? now_ms + duration->count()
                                     : std::max<std::int64_t>(now_ms - duration->count(), 0);
  if (const auto time = model::parse_timestamp(text)) return *time;
  return base::fail(base::errc::query_invalid,
                    std::string{option} + " " + model::quoted_excerpt(text, echo_limit) +
                        " is neither a time such as 2027-01-31T00:00:00Z nor " +
                        std::string{cli::duration_allowed});
}

} // namespace matchcloud::app
