#include "model/catalog/named_game.hpp"

#include "base/characters.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace matchcloud::model {

namespace {

/// Code points of a name in a message.
constexpr std::size_t echo_limit = 64;
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

std::string listed(const games& all) {
  std::string text;
  for (const auto* each : games{all.begin(), all.begin() + std::min(all.size(), listed_limit)})
    text.append(text.empty() ? "" : ", ")
        .append(quoted_excerpt(each->display_name, echo_limit))
        .append(" (")
        .append(to_string(each->game_id))
        .append(")");
  if (all.size() > listed_limit)
    text += " and " + std::to_string(all.size() - listed_limit) + " more";
  return text;
}

base::error no_such_name(const catalog& in, std::string_view text) {
  const auto all = games_with(in, [](const std::string&) { return true; });
  std::vector<std::string_view> names;
  for (const auto* each : all)
    names.push_back(each->display_name);
  auto why = "no game has the name or id " + quoted_excerpt(text, echo_limit);
  if (const auto close = closest_name(text, names); !close.empty())
    why += "; did you mean " + quoted_excerpt(close, echo_limit) + "?";
  else
    why += "; games: " + (all.empty() ? std::string{"none"} : listed(all));
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
                      quoted_excerpt(text, echo_limit) +
                          " is the name of several games; use the id of one: " + listed(found));
  return found.front()->game_id;
}

} // namespace matchcloud::model
