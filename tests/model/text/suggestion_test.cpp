#include "model/text/suggestion.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace matchcloud::model;

namespace {

// A reference implementation of `closest_name` that ignores cost.

std::string folded(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, suggestion_name_limit_bytes)) {
    if (c == '_' || c == '-' || c == ' ') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

std::size_t plain_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1,
                              steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

/// Whether a word of `name` begins at the letter `at` of its folded form.
bool begins_word(std::string_view name, std::size_t at) {
  for (std::size_t i = 0; i < name.size(); ++i)
    if (!folded(name.substr(i, 1)).empty() && at-- == 0)
      return i == 0 || (name[i] >= 'A' && name[i] <= 'Z') || folded(name.substr(i - 1, 1)).empty();
  return false;
}

bool begins_or_ends(std::string_view name, const std::string& part) {
  const auto whole = folded(name);
  if (part.size() < 4 || whole.size() < part.size()) return false;
  return whole.starts_with(part) ||
         (whole.ends_with(part) && begins_word(name, whole.size() - part.size()));
}

std::size_t plain_farness(std::string_view name, std::string_view candidate) {
  const auto a = folded(name);
  const auto b = folded(candidate);
  const auto steps = plain_distance(a, b);
  if (steps <= std::max<std::size_t>(1, std::min(a.size(), b.size()) / 3)) return steps;
  return begins_or_ends(name, b) || begins_or_ends(candidate, a) ? 500 + steps : 1'000;
}

std::string_view plain_closest_name(std::string_view name,
                                    const std::vector<std::string_view>& candidates) {
  if (name.empty() || name.size() > suggestion_name_limit_bytes) return {};
  std::string_view closest;
  std::size_t least = 1'000;
  for (const auto candidate : candidates) {
    const auto farness = plain_farness(name, candidate);
    if (farness >= least) continue;
    least = farness;
    closest = candidate;
  }
  return closest;
}

/// Names of few letters, so that they resemble one another, with lengths up to and beyond the
/// limit.
rc::Gen<std::string> any_name() {
  return rc::gen::mapcat(rc::gen::element<std::size_t>(3, 8, 20, 66), [](std::size_t most) {
    return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, most + 1), [](std::size_t size) {
      return rc::gen::container<std::string>(size, rc::gen::elementOf(std::string{"abcAB_-\xE9"}));
    });
  });
}

/// `name` with a few typing errors.
std::string mistyped(std::string name) {
  const auto errors = *rc::gen::inRange(0, 6);
  for (int i = 0; i < errors && !name.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, name.size());
    switch (*rc::gen::inRange(0, 6)) {
    case 0: name.erase(at, 1); break;
    case 1: name.insert(at, 1, 'c'); break;
    case 2: name[at] = 'b'; break;
    case 3: name.resize(at); break;
    case 4: name.erase(0, at); break;
    default: std::swap(name[at], name[at > 0 ? at - 1 : 0]);
    }
  }
  return name;
}

std::string_view closest_of(std::string_view name, std::vector<std::string_view> candidates) {
  return closest_name(name, candidates);
}

} // namespace

TEST_CASE("names are close that differ in what people spell differently") {
  CHECK(closest_of("maxPlayers", {"max_player", "max_players"}) == "max_players");
  CHECK(closest_of("MAX-PLAYERS", {"max_players"}) == "max_players");
  CHECK(closest_of("image id", {"image", "image_id"}) == "image_id");
}

TEST_CASE("names are close that are a few typing errors apart") {
  CHECK(closest_of("max_playres", {"min_players", "max_players"}) == "max_players");
  CHECK(closest_of("prots", {"env", "ports"}) == "ports");
  CHECK(closest_of("evn", {"args", "env"}) == "env");
  CHECK(closest_of("xyz", {"args", "env"}).empty());
  // Two errors are too many for a name of five letters.
  CHECK(closest_of("potrz", {"ports"}).empty());
}

TEST_CASE("names are close that begin or end another, behind all typing errors") {
  CHECK(closest_of("players", {"regions", "max_players"}) == "max_players");
  CHECK(closest_of("idle_lobbies_max", {"idle_lobbies"}) == "idle_lobbies");
  CHECK(closest_of("ports", {"ports_of_the_host", "port"}) == "port");
  CHECK(closest_of("max", {"max_players"}).empty());
  CHECK(closest_of("players", {"maxPlayers"}) == "maxPlayers");
  // The end of a word is another word.
  CHECK(closest_of("port", {"transport"}).empty());
  CHECK(closest_of("transport", {"port"}).empty());
}

TEST_CASE("the first of equally close names is given") {
  CHECK(closest_of("tiers", {"tier", "tiers_", "TIERS"}) == "tiers_");
  CHECK(closest_of("ab", {"ac", "ad"}) == "ac");
}

TEST_CASE("there is no suggestion for nothing and for what is too long") {
  CHECK(closest_of("", {"a"}).empty());
  CHECK(closest_of("a", {}).empty());
  const std::string longest(suggestion_name_limit_bytes, 'a');
  CHECK(closest_of(longest, {longest}) == longest);
  CHECK(closest_of(longest + "a", {longest}).empty());
}

TEST_CASE("property: the closest name is that of the plain rule") {
  REQUIRE(rc::check([] {
    const auto name = *any_name();
    auto candidates = *rc::gen::container<std::vector<std::string>>(any_name());
    const auto resembling = *rc::gen::inRange(0, 4);
    for (int i = 0; i < resembling; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, candidates.size() + 1);
      candidates.insert(candidates.begin() + static_cast<std::ptrdiff_t>(at), mistyped(name));
    }
    const std::vector<std::string_view> views{candidates.begin(), candidates.end()};
    const auto found = closest_name(name, views);
    const auto expected = plain_closest_name(name, views);
    // Must be the same candidate, not only an equal one.
    RC_ASSERT(found.data() == expected.data());
    RC_ASSERT(found == expected);
  }));
}
