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

/// What guessing may still cost while one document is judged.
class suggestion_budget {
public:
  /// Comparisons with names, of a few words each: together well below a millisecond.
  static constexpr std::size_t names_limit = 4'096;

  /// Whether one may guess among that many names. They are spent then.
  bool spend(std::size_t names) noexcept {
    if (names > names_left_) return false;
    names_left_ -= names;
    return true;
  }

private:
  std::size_t names_left_ = names_limit;
};

/// What the checks of single values depend on.
struct check_context {
  const validation_rules& rules;
  const reference_names& names;
  /// Null: a violation may not say "did you mean".
  suggestion_budget* suggestions = nullptr;
  /// The object that the value stands in, whose names are not suggested again; null: none.
  const json_document* document = nullptr;
  std::uint32_t object = 0;

  /// The same for a value, which may be what names around it are.
  check_context apart() const noexcept { return {rules, names, suggestions}; }

  bool may_suggest(std::size_t among) const noexcept {
    return suggestions != nullptr && suggestions->spend(among);
  }
};

/// The first rule of a string's row that `text`, well-formed UTF-8, breaks. A glob is only compared
/// with others by who walks the document. O(text), plus the candidates of a suggestion.
std::optional<violation> check_text(const value_rule& rule, std::string_view text,
                                    const check_context& context);

/// The first rule on the names of a map's entries that `name` breaks. A name in `env` is only
/// compared with those that the service sets by who walks the document.
std::optional<violation> check_key(const value_rule& map, std::string_view name,
                                   const check_context& context);

/// Whether `name` can be a port's, of at most `most` characters.
bool is_port_label(std::string_view name, std::uint64_t most) noexcept;

/// Whether `code` is about a value's size, which docs/validation.md says before what else is wrong.
bool is_about_size(std::string_view code) noexcept;

} // namespace matchcloud::model
