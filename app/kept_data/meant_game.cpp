#include "app/kept_data/meant_game.hpp"

#include "model/access/token_text.hpp"
#include "model/catalog/named_game.hpp"
#include "model/text/unicode.hpp"

namespace matchcloud::app {

std::string meant_game::describe() const {
  auto text = "game " + to_string(game_id);
  if (!name.empty()) text += " " + model::quoted_excerpt(name);
  return text;
}

base::error meant_game::explain(base::error failure) const {
  const bool is_absent =
      failure.code == base::errc::game_not_found || failure.code == base::errc::avatar_not_found;
  if (is_absent && !others.empty())
    failure.detail = "there is no game " + to_string(game_id) + "; " + others;
  return failure;
}

base::expected<meant_game> find_game(store::database& in, const std::string& text) {
  const auto catalog = in.catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  return find_meant_game(*catalog, model::redact_tokens(text)).map([&](const model::uuid& id) {
    const auto* known = catalog->find_game(id);
    return known != nullptr ? meant_game{id, known->display_name, {}}
                            : meant_game{id, {}, list_games(*catalog)};
  });
}

} // namespace matchcloud::app
