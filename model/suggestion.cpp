#include "model/suggestion.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::model {

namespace {

constexpr std::size_t not_close = 1'000;
/// A shorter word begins or ends too many others.
constexpr std::size_t shortest_affix_bytes = 4;

/// A name without what people spell differently: `maxPlayers`, `max-players`, `Max_Players`.
class folded_name {
public:
  explicit folded_name(std::string_view name) noexcept {
    for (const char c : name.substr(0, suggestion_name_limit_bytes)) {
      if (c == '_' || c == '-' || c == ' ') continue;
      letters_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  std::string_view text() const noexcept { return {letters_.data(), size_}; }

private:
  std::array<char, suggestion_name_limit_bytes> letters_{};
  std::size_t size_ = 0;
};

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t distance(std::string_view a, std::string_view b) noexcept {
  using row = std::array<std::size_t, suggestion_name_limit_bytes + 1>;
  row before{};
  row previous{};
  row current{};
  for (std::size_t j = 0; j <= b.size(); ++j)
    previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

bool is_affix(std::string_view part, std::string_view whole) noexcept {
  return part.size() >= shortest_affix_bytes && (whole.starts_with(part) || whole.ends_with(part));
}

std::size_t farness(std::string_view name, std::string_view candidate) noexcept {
  const auto steps = distance(name, candidate);
  if (steps <= std::max<std::size_t>(1, std::min(name.size(), candidate.size()) / 3)) return steps;
  // Behind everything that looks like a typing error.
  if (is_affix(name, candidate) || is_affix(candidate, name)) return not_close / 2 + steps;
  return not_close;
}

} // namespace

std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates) noexcept {
  if (name.empty() || name.size() > suggestion_name_limit_bytes) return {};
  const folded_name wanted{name};
  std::string_view closest;
  auto least = not_close;
  for (const auto candidate : candidates) {
    const auto steps = farness(wanted.text(), folded_name{candidate}.text());
    if (steps >= least) continue;
    least = steps;
    closest = candidate;
  }
  return closest;
}

} // namespace matchcloud::model
