#pragma once

#include "model/validation/schema.hpp"

#include <string_view>

namespace matchcloud::model {

// What the printed schema says for the named rules of the table. A pattern is an ECMA-262 regular
// expression (flag u) that every text without a finding matches; where it lets through more than
// the rule does, a remark says the rest. Both are empty where there is nothing to say.

std::string_view pattern_of(text_rule rule) noexcept;
std::string_view pattern_of(key_rule rule) noexcept;

/// What the printed schema leaves to validation, whatever the kind.
std::string_view unexpressed() noexcept;

std::string_view remark_of(text_rule rule) noexcept;
std::string_view remark_of(key_rule rule) noexcept;
/// `complete` as in `validation_rules`.
std::string_view remark_of(object_rule rule, bool complete) noexcept;

} // namespace matchcloud::model
