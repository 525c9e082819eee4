#include "app/kept_data/meant_game.hpp"

#include "model/access/token_text.hpp"
#include "model/catalog/named_game.hpp"
#include "model/text/unicode.hpp"

namespace matchcloud::app {

namespace {

/// Messages show at most this many code points of a name.
constexpr std::size_t shown_limit = 64;

} // namespace

std::string meant_game::describe() const {
  auto text = "game " + to_string(game_id);
  if (!name.empty()) text += " " + model::quoted_excerpt(name, shown_limit);
  return text;
}

base::expected<meant_game> find_game(store::database& in, const std::string& text) {
  const auto catalog = in.catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  return find_meant_game(*catalog, model::redact_tokens(text)).map([&](const model::uuid& id) {
    const auto* known = catalog->find_game(id);
    return meant_game{id, known != nullptr ? known->display_name : std::string{}};
  });
}

} // namespace matchcloud::app
