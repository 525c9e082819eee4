#include "model/text/suggestion.hpp"

#include "base/characters.hpp"
#include "model/text/joined.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace matchcloud::model {

namespace {

constexpr std::size_t not_close = 1'000;
/// A shorter word is the beginning or end of too many others.
constexpr std::size_t shortest_affix_bytes = 4;

/// A name without the differences of common spellings: `maxPlayers`, `max-players`, `Max_Players`.
class folded_name {
public:
  explicit folded_name(std::string_view name) noexcept {
    bool begins_word = true;
    for (const char c : name.substr(0, suggestion_name_limit_bytes)) {
      const bool is_gap = c == '_' || c == '-' || c == ' ';
      const char lower = base::to_lower(c);
      begins_word_[size_] = begins_word || lower != c;
      letters_[size_] = lower;
      size_ += is_gap ? 0 : 1;
      begins_word = is_gap;
    }
  }
  std::string_view text() const noexcept { return {letters_.data(), size_}; }

  /// Whether `part` begins this name, or ends it at a word: `port` does not end `transport`.
  bool has_affix(std::string_view part) const noexcept {
    return part.size() >= shortest_affix_bytes &&
           (text().starts_with(part) ||
            (text().ends_with(part) && begins_word_[size_ - part.size()]));
  }

private:
  std::array<char, suggestion_name_limit_bytes> letters_{};
  std::array<bool, suggestion_name_limit_bytes> begins_word_{};
  std::size_t size_ = 0;
};

/// Measures the distance of other names from one name in insertions, deletions, replacements and
/// swaps of neighbors, none of which touches a position twice (optimal string alignment).
///
/// A column of the table of distances is a word with a bit per byte of the name: each bit says
/// whether the distance grows or shrinks from one byte to the next (H. Hyyrö, "A bit-vector
/// algorithm for computing Levenshtein and Damerau edit distances", 2003).
class distance_meter {
public:
  explicit distance_meter(std::string_view name) noexcept : size_(name.size()) {
    for (std::size_t i = 0; i < name.size(); ++i)
      places_[static_cast<unsigned char>(name[i])] |= std::uint64_t{1} << i;
  }

  /// The distance to `other`, or any number above `limit` if it is greater. O(other).
  std::size_t measure(std::string_view other, std::size_t limit) const noexcept {
    if (size_ == 0) return other.size();
    const auto last = std::uint64_t{1} << (size_ - 1);
    std::uint64_t grows = ~std::uint64_t{0};
    std::uint64_t shrinks = 0;
    std::uint64_t free_step = 0;
    std::uint64_t equal_before = 0;
    auto steps = size_;
    for (auto rest = other.size(); rest-- > 0;) {
      const auto equal = places_[static_cast<unsigned char>(other[other.size() - 1 - rest])];
      const auto swapped = ((~free_step & equal) << 1) & equal_before;
      free_step = (((equal & grows) + grows) ^ grows) | equal | shrinks | swapped;
      const auto row_grows = shrinks | ~(free_step | grows);
      const auto row_shrinks = free_step & grows;
      if ((row_grows & last) != 0) ++steps;
      if ((row_shrinks & last) != 0) --steps;
      // Each remaining byte of `other` reduces the distance by at most one.
      if (steps > limit + rest) return limit + 1;
      grows = row_shrinks << 1 | ~(free_step | row_grows << 1 | 1);
      shrinks = (row_grows << 1 | 1) & free_step;
      equal_before = equal;
    }
    return steps;
  }

private:
  static_assert(suggestion_name_limit_bytes <= 64, "a place is a bit of a word");

  std::size_t size_;
  /// The positions of each byte in the name, as bits.
  std::array<std::uint64_t, 256> places_{};
};

/// How unlikely it is that `other` was meant by `one`, whose distances `from_one` measures. If that
/// is not below `least` (which is not 0), the result may be any number from `least` on.
std::size_t farness(const folded_name& one, const distance_meter& from_one,
                    const folded_name& other, std::size_t least) noexcept {
  const auto name = one.text();
  const auto candidate = other.text();
  const auto shorter = std::min(name.size(), candidate.size());
  const auto missing = std::max(name.size(), candidate.size()) - shorter;
  const auto allowed = std::max<std::size_t>(1, shorter / 3);
  if (other.has_affix(name) || one.has_affix(candidate)) {
    // The distance is the number of missing bytes. A longer affix ranks after all likely typing
    // errors.
    return missing <= allowed ? missing : not_close / 2 + missing;
  }
  const auto limit = std::min(allowed, least - 1);
  if (missing > limit) return not_close;
  const auto steps = from_one.measure(candidate, limit);
  return steps <= limit ? steps : not_close;
}

} // namespace

std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates) noexcept {
  if (name.empty() || name.size() > suggestion_name_limit_bytes) return {};
  const folded_name wanted{name};
  const distance_meter from_wanted{wanted.text()};
  std::string_view closest;
  auto least = not_close;
  for (const auto candidate : candidates) {
    const auto found = farness(wanted, from_wanted, folded_name{candidate}, least);
    if (found >= least) continue;
    least = found;
    closest = candidate;
    if (least == 0) break;
  }
  return closest;
}

std::string instead_of(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view allowed) {
  if (const auto close = closest_name(name, candidates); !close.empty())
    return "Did you mean `" + std::string{close} + "`?";
  return std::string{allowed} + ": " + joined(candidates) + ".";
}

} // namespace matchcloud::model
