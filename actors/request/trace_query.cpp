#include "actors/request/trace_query.hpp"

#include "base/decimal.hpp"

namespace matchcloud::actors {

base::expected<std::optional<std::int64_t>> read_number(const query_parameters& of,
                                                        std::string_view name, std::int64_t least,
                                                        std::int64_t most, std::string_view unit) {
  const auto text = of(name);
  if (text.empty()) return std::optional<std::int64_t>{};
  const auto number = base::parse_decimal<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return number;
  return base::fail(base::errc::query_invalid, "The parameter `" + std::string{name} +
                                                   "` is not a whole number (" + std::string{unit} +
                                                   ") from " + std::to_string(least) + " to " +
                                                   std::to_string(most) + ".");
}

base::expected<trace_query> read_trace_query(const query_parameters& of) {
  const auto status = read_number(of, "status", 100, 599, "a status");
  if (!status) return tl::unexpected(status.error());
  const auto slower_than = read_number(of, "slower_than_ms", 0, 86'400'000, "milliseconds");
  if (!slower_than) return tl::unexpected(slower_than.error());
  trace_query wanted;
  wanted.operation = of("operation");
  if (*status) wanted.status = static_cast<int>(**status);
  wanted.slower_than = std::chrono::milliseconds{slower_than->value_or(0)};
  wanted.request_id = of("request_id");
  if (const auto game = of("game_id"); !game.empty()) {
    wanted.game_id = model::parse_uuid(game);
    if (!wanted.game_id)
      return base::fail(base::errc::query_invalid,
                        "The parameter `game_id` is not the id of a game, a UUID.");
  }
  return wanted;
}

} // namespace matchcloud::actors
