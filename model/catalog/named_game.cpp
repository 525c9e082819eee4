#include "model/catalog/named_game.hpp"

#include "base/characters.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace matchcloud::model {

namespace {

/// Games that a message lists.
constexpr std::size_t listed_limit = 10;

using games = std::vector<const game*>;

template <class Same>
games games_with(const catalog& in, Same is_same) {
  games found;
  for (const auto& each : in.games)
    if (is_same(each.display_name)) found.push_back(&each);
  return found;
}

std::string describe_game(const game& which) {
  return quoted_excerpt(which.display_name) + " (" + to_string(which.game_id) + ")";
}

/// The descriptions of the first of `all`.
template <class List, class Describe>
std::string listed(const List& all, Describe describe_each) {
  if (all.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), listed_limit); ++i)
    text.append(text.empty() ? "" : ", ").append(describe_each(all[i]));
  if (all.size() > listed_limit)
    text += " and " + std::to_string(all.size() - listed_limit) + " more";
  return text;
}

base::error no_such_name(const catalog& in, std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto& each : in.games)
    names.push_back(each.display_name);
  auto why = "no game has the name or id " + quoted_excerpt(text);
  const auto close = closest_name(text, names);
  const auto meant = std::ranges::find(in.games, close, &game::display_name);
  why += close.empty() ? "; " + list_games(in) : "; did you mean " + describe_game(*meant) + "?";
  return {base::errc::game_not_found, why};
}

} // namespace

base::expected<uuid> find_meant_game(const catalog& in, std::string_view text) {
  if (const auto id = parse_uuid(text)) return *id;
  auto found = games_with(in, [text](const std::string& name) { return name == text; });
  if (found.empty())
    found = games_with(
        in, [text](const std::string& name) { return base::equal_ignoring_case(name, text); });
  if (found.empty()) return tl::unexpected(no_such_name(in, text));
  if (found.size() > 1)
    return base::fail(base::errc::game_not_found,
                      quoted_excerpt(text) + " is the name of several games; use the id of one: " +
                          listed(found, [](const game* each) { return describe_game(*each); }));
  return found.front()->game_id;
}

std::string list_games(const catalog& in) {
  return "games: " + listed(in.games, describe_game);
}

std::string list_namespaces(const catalog& in) {
  return "namespaces: " + listed(in.namespaces, [&](const game_namespace& each) {
           const auto* of = in.find_game(each.game_id);
           return quoted_excerpt(each.name) +
                  (of ? " of " + quoted_excerpt(of->display_name) : "") + " (" +
                  to_string(each.namespace_id) + ")";
         });
}

} // namespace matchcloud::model
