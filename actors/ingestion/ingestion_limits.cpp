#include "actors/ingestion/ingestion_limits.hpp"

#include "model/lobbies/lobby.hpp"

namespace matchcloud::actors {

base::expected<void> set_ignored_members(ingestion_limits& of, const base::config_values& given) {
  if (auto fine = model::lobby_line_reader::check_ignored(given); !fine) return fine;
  of.ignored_members = given;
  return {};
}

} // namespace matchcloud::actors
