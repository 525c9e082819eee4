#pragma once

#include "model/json_document.hpp"
#include "model/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

// The sentences of findings. `subject` is what the sentence is about, ready for its beginning:
// "`max_players`", "An entry of `env`". A message echoes the client's text at most once, cut to
// `echo_limit` code points.

inline constexpr std::size_t default_echo_limit = validation_limits{}.echo;

/// `an integer`.
std::string_view type_name(value_type type) noexcept;

std::string required_message(std::string_view subject, value_type type, bool is_null);

std::string wrong_type_message(std::string_view subject, value_type expected,
                               const json_document& document, const json_node& found,
                               std::size_t echo_limit);

std::string out_of_range_message(std::string_view subject, const integer_range& range,
                                 std::string_view number, std::size_t echo_limit);

/// `too` is `low` or `high`; `least` and `most` are allowed.
std::string bounds_message(std::string_view subject, std::string_view number, std::string_view too,
                           std::uint64_t least, std::uint64_t most, std::size_t echo_limit);

/// Of a map or array with more than `most` entries.
std::string too_many_message(std::string_view subject, std::size_t entries, std::uint64_t most);

/// The same for a game mode's `env` that is added to the matchmaker's.
std::string merged_too_many_message(std::string_view subject, std::size_t entries,
                                    std::uint64_t most);

/// `owner` is the object. What it can hold is said by who knows it.
std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   std::size_t echo_limit);

/// `Did you mean X? ` and what is known, for a message about `found`; `candidates` may repeat
/// `known` and hold aliases besides.
std::string known_names_advice(std::string_view found, std::span<const std::string_view> known,
                               std::span<const std::string_view> candidates, bool may_suggest);

/// `known` is the member's neutral name; empty where it is the client's own.
std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::string_view known, std::size_t echo_limit);

std::string too_many_errors_message(std::size_t listed);

} // namespace matchcloud::model
