#pragma once

#include "model/catalog/catalog_document.hpp"
#include "model/text/uuid.hpp"

#include <optional>
#include <string>

/// Lobbies as they are ingested, and the catalog that they refer to.
namespace matchcloud::fixtures {

inline const std::string known_namespace = "00000000-0000-0000-0000-00000000000b";

inline model::catalog_document known_catalog() {
  model::catalog_document document;
  const model::uuid game;
  document.regions = {{"fra", "Frankfurt", "P", {}}};
  document.games = {{game, "one"}};
  document.namespaces = {{*model::parse_uuid(known_namespace), game, "prod", {}, std::nullopt}};
  return document;
}

/// A lobby's line with its line end.
inline std::string line(int number, const std::string& space = known_namespace,
                        const std::string& mode = "duel") {
  auto digits = std::to_string(100'000 + number);
  return R"({"lobby_id":"00000000-0000-4000-8000-000000)" + digits + R"(","namespace_id":")" +
         space + R"(","region_id":"fra","tier":"basic-1d1","version_id":")" + known_namespace +
         R"(","version_name":"1","game_mode":")" + mode + R"(","start_ts":1,"stop_ts":5})" + "\n";
}

} // namespace matchcloud::fixtures
