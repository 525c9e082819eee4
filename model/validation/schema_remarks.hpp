#pragma once

#include "model/validation/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// All names of `member` that are accepted in `shape`: its own first, then its aliases.
std::vector<std::string> spellings_of(const object_shape& shape, const member_rule& member,
                                      const validation_rules& rules);

/// All words that are accepted for a neutral word: the word itself first, then its aliases.
std::vector<std::string> spellings_of(std::string_view neutral, const validation_rules& rules);

/// All words that are accepted for a value of `rule`, except those that the edition lacks.
std::vector<std::string> accepted_words(const value_rule& rule, const validation_rules& rules);

// What the printed schema says about the named rules of the table. A pattern is an ECMA-262 regular
// expression (flag u) that matches every text without a finding; if it accepts more than the rule
// does, a remark states the rest. Both are empty if there is nothing to say.

std::string_view pattern_of(text_rule rule) noexcept;
std::string_view pattern_of(key_rule rule) noexcept;

/// Whether the rule accepts an empty text.
bool may_be_empty(text_rule rule) noexcept;

/// The rules that the printed schemas of all payload kinds leave to validation.
std::string_view unexpressed() noexcept;

std::string_view remark_of(text_rule rule) noexcept;
std::string_view remark_of(key_rule rule) noexcept;
/// The remark on a relation; `complete` as in `validation_rules`.
std::string_view remark_of(object_rule rule, bool complete) noexcept;

/// Appends `sentence` to `text`, after a space if there is text.
void append_sentence(std::string& text, std::string_view sentence);

} // namespace matchcloud::model
