#pragma once

#include "model/json/json_document.hpp"
#include "model/text/violation.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// Bounds the cost of suggestions for one document.
class suggestion_budget {
public:
  /// Comparisons with names, of a few words each; all together take well below a millisecond.
  static constexpr std::size_t names_limit = 4'096;

  /// Spends comparisons with `names` names; false if fewer are left.
  bool spend(std::size_t names) noexcept {
    if (names > names_left_) return false;
    names_left_ -= names;
    return true;
  }

private:
  std::size_t names_left_ = names_limit;
};

/// The inputs of the checks of single values.
struct check_context {
  const validation_rules& rules;
  const reference_names& names;
  /// Null: a violation must not suggest a name.
  suggestion_budget* suggestions = nullptr;
  /// The object that contains the value; names that it already has are not suggested. Null: none.
  const json_document* document = nullptr;
  std::uint32_t object = 0;

  /// The same without the object, so that names in it may be suggested.
  check_context apart() const noexcept { return {rules, names, suggestions}; }

  bool may_suggest(std::size_t among) const noexcept {
    return suggestions != nullptr && suggestions->spend(among);
  }
};

/// The first rule of a string's row that `text`, well-formed UTF-8, breaks. Comparing a glob with
/// others is left to the walker of the document. O(text), plus the candidates of a suggestion.
std::optional<violation> check_text(const value_rule& rule, std::string_view text,
                                    const check_context& context);

/// The first rule on the names of a map's entries that `name` breaks. The predicate continues a
/// subject that shows the name if `may_show_names` allows it. Comparing a name in `env` with those
/// that the service sets is left to the walker of the document.
std::optional<violation> check_key(const value_rule& map, std::string_view name,
                                   const check_context& context);

/// Whether messages may show invalid names of a map's entries. An invalid header name may be a
/// whole header line, with a secret.
bool may_show_names(key_rule rule) noexcept;

/// Whether `name` is a valid port label of at most `most` characters.
bool is_port_label(std::string_view name, std::uint64_t most) noexcept;

/// Whether `code` is about a value's size, which docs/validation.md reports before other
/// violations.
bool is_about_size(std::string_view code) noexcept;

} // namespace matchcloud::model
