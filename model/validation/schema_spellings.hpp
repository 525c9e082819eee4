#pragma once

#include "model/validation/schema.hpp"

#include <string>
#include <vector>

namespace matchcloud::model {

/// All names of `member` that are accepted in `shape`: its own first, then its aliases.
std::vector<std::string> spellings_of(const object_shape& shape, const member_rule& member,
                                      const validation_rules& rules);

/// All words that are accepted for a neutral word: the word itself first, then its aliases.
std::vector<std::string> spellings_of(std::string_view neutral, const validation_rules& rules);

/// All words that are accepted for a value of `rule`, except those that the edition lacks.
std::vector<std::string> accepted_words(const value_rule& rule, const validation_rules& rules);

} // namespace matchcloud::model
