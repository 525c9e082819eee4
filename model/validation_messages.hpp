#pragma once

#include "model/json_document.hpp"
#include "model/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

// The sentences of findings. `subject` is what the sentence is about, ready for its beginning:
// "`max_players`", "An entry of `env`". A message echoes the client's text at most once, cut.

/// Code points of the client's text in one message.
inline constexpr std::size_t echo_limit_characters = 64;

/// `an integer`.
std::string_view type_name(value_type type) noexcept;

std::string required_message(std::string_view subject, value_type type, bool is_null);

std::string wrong_type_message(std::string_view subject, value_type expected,
                               const json_document& document, const json_node& found);

std::string out_of_range_message(std::string_view subject, const integer_range& range,
                                 std::string_view number);

/// `owner` is the object, `known` what it can hold, `suggestion` may be empty.
std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   const std::vector<std::string_view>& known,
                                   std::string_view suggestion);

/// `known` is the member's neutral name; empty where it is the client's own.
std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::string_view known);

std::string too_many_errors_message(std::size_t listed);

} // namespace matchcloud::model
