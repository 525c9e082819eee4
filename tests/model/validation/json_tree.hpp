#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::model {

/// A JSON value that tests take apart and reassemble. Objects may have repeated members.
struct json_tree {
  enum class shape : std::uint8_t { scalar, array, object };

  shape is = shape::scalar;
  /// The value's role in the specification, such as `tier`; empty if it has none.
  std::string_view role = {};
  /// For a scalar: its JSON text.
  std::string text = {};
  /// For an array the names are empty.
  std::vector<std::pair<std::string, json_tree>> children = {};

  json_tree* find(std::string_view name);
  const json_tree* find(std::string_view name) const;
  void erase(std::string_view name);
};

/// `piece`, `times` times.
std::string repeated(std::string_view piece, std::size_t times);

json_tree scalar_tree(std::string_view role, std::string text);
/// A string value; `text` without quotes and escapes.
json_tree string_tree(std::string_view role, std::string_view text);
json_tree integer_tree(std::string_view role, std::int64_t number);

std::string to_text(const json_tree& tree);

/// Random choices from a seed. Used instead of a tree of rapidcheck generators, which shrink too
/// slowly.
class chance {
public:
  explicit chance(std::uint32_t seed) : random_(seed) {}

  /// A number from 0 to `limit` - 1.
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::size_t>(most - least + 1)));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

  template <class Range>
  void shuffle(Range& range) {
    for (std::size_t i = range.size(); i > 1; --i)
      std::swap(range[i - 1], range[below(i)]);
  }

private:
  std::mt19937 random_;
};

/// Shuffles the members of every object, including the body itself.
void shuffle_members(json_tree& tree, chance& random);

} // namespace matchcloud::model
