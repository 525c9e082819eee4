#include "actors/request/trace_query.hpp"

#include "base/decimal.hpp"
#include "base/failure.hpp"

namespace matchcloud::actors {

std::optional<std::int64_t> read_number(const query_parameters& of, std::string_view name,
                                        std::int64_t least, std::int64_t most,
                                        std::string_view unit) {
  const auto text = of(name);
  if (text.empty()) return std::nullopt;
  const auto number = base::parse_decimal<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return number;
  throw base::failure{base::errc::query_invalid,
                      "The parameter `{}` is not a whole number ({}) from {} to {}.",
                      name,
                      unit,
                      least,
                      most};
}

base::expected<trace_query> read_trace_query(const query_parameters& of) {
  return base::attempt([&] {
    trace_query wanted;
    wanted.operation = of("operation");
    if (const auto status = read_number(of, "status", 100, 599, "a status"))
      wanted.status = static_cast<int>(*status);
    wanted.slower_than = std::chrono::milliseconds{
        read_number(of, "slower_than_ms", 0, 86'400'000, "milliseconds").value_or(0)};
    wanted.request_id = of("request_id");
    if (const auto game = of("game_id"); !game.empty()) {
      wanted.game_id = model::parse_uuid(game);
      if (!wanted.game_id)
        throw base::failure{base::errc::query_invalid,
                            "The parameter `game_id` is not the id of a game, a UUID."};
    }
    return wanted;
  });
}

} // namespace matchcloud::actors
