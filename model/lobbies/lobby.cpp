#include "model/lobbies/lobby.hpp"

#include "model/text/unicode.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace matchcloud::model {

namespace {

std::string shown(const std::string& text) {
  return '"' + printable_excerpt(text) + '"';
}
std::string shown(const uuid& id) {
  return to_string(id);
}

} // namespace

lobby_times merge(const lobby_times& a, const lobby_times& b) noexcept {
  // An empty optional compares less than any stop.
  return {std::min(a.start_ts, b.start_ts), std::max(a.stop_ts, b.stop_ts)};
}

int duration_class(const lobby_times& times) noexcept {
  if (!times.stop_ts) return running_class;
  const auto lasted = std::max<std::int64_t>(1, *times.stop_ts - times.start_ts);
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(lasted))) - 1;
}

std::string difference(const lobby_attributes& found, const lobby_attributes& known) {
  std::string text;
  const auto compare = [&](std::string_view name, const auto& a, const auto& b) {
    if (!text.empty() || a == b) return;
    text.append(name).append(" ").append(shown(a)).append(" is not ").append(shown(b));
  };
  compare("namespace_id", found.namespace_id, known.namespace_id);
  compare("region_id", found.region_id, known.region_id);
  compare("tier", found.tier, known.tier);
  compare("version_id", found.version_id, known.version_id);
  compare("version_name", found.version_name, known.version_name);
  compare("game_mode", found.game_mode, known.game_mode);
  return text;
}

} // namespace matchcloud::model

std::size_t std::hash<matchcloud::model::lobby_attributes>::operator()(
    const matchcloud::model::lobby_attributes& attributes) const noexcept {
  std::size_t sum = 0;
  const auto add = [&sum](std::size_t part) {
    sum = std::rotl(sum, 13) * 0x9e3779b97f4a7c15 + part;
  };
  add(std::hash<matchcloud::model::uuid>{}(attributes.namespace_id));
  add(std::hash<matchcloud::model::uuid>{}(attributes.version_id));
  for (const auto* text :
       {&attributes.region_id, &attributes.tier, &attributes.version_name, &attributes.game_mode})
    add(std::hash<std::string>{}(*text));
  return sum;
}
