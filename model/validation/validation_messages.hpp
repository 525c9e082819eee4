#pragma once

#include "model/json/json_document.hpp"
#include "model/validation/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

// The sentences of findings. `subject` begins the sentence and is quoted already: "`max_players`",
// "`env.PATH`", "The name `1A` in `env`". The client's texts in a message are cut to `echo_limit`
// code points in total.

inline constexpr std::size_t default_echo_limit = validation_limits{}.echo;

/// The name of a type with its article: `an integer`.
std::string_view type_name(value_type type) noexcept;

/// A name of the specification, as messages show it. (Not named `quoted`, because calls with
/// strings would find std::quoted, which <chrono> includes since g++ 13.)
std::string in_backticks(std::string_view name);

std::string required_message(std::string_view subject, value_type type, bool is_null);

/// Shows the value only if a number or boolean is expected; other values may be secrets.
std::string wrong_type_message(std::string_view subject, const value_rule& expected,
                               const json_document& document, const json_node& found,
                               std::size_t echo_limit);

/// `meaning` is the expected kind of number, with its article: `a port`.
std::string out_of_range_message(std::string_view subject, std::string_view meaning,
                                 std::string_view number, const integer_bounds& allowed,
                                 std::size_t echo_limit);

/// `too` is `low` or `high`.
std::string bounds_message(std::string_view subject, std::string_view number, std::string_view too,
                           const integer_bounds& allowed, std::size_t echo_limit);

/// The message for a map or array with more than `most` entries.
std::string too_many_message(std::string_view subject, std::size_t entries, std::uint64_t most);

/// The message for a game mode's `env` that has too many entries together with the matchmaker's.
std::string merged_too_many_message(std::string_view subject, std::size_t entries,
                                    std::uint64_t most);

/// `owner` is the object. The caller appends which members it can have.
std::string unknown_member_message(std::string_view owner, std::string_view name,
                                   std::size_t echo_limit);

/// The most names that a message lists, to keep it readable.
inline constexpr std::size_t listed_names_limit = 16;

/// Appends ` Did you mean X?`; nothing if `meant` is empty.
void append_suggestion(std::string& message, std::string_view meant);

/// Appends the first of the `known_total` names that are allowed, after `intro`: `Tiers: `.
void append_known_names(std::string& message, std::string_view intro,
                        std::span<const std::string_view> known, std::size_t known_total);

/// Appends the names of an object's members.
void append_member_names(std::string& message, std::span<const std::string_view> members);

std::string duplicate_member_message(std::string_view owner, std::string_view name,
                                     std::size_t echo_limit);

/// The message for a member that an object has under two names, of which `earlier` is the first.
std::string two_names_message(std::string_view owner, std::string_view earlier,
                              std::string_view later);

/// The last finding of a truncated list, after `listed` findings (at least one).
std::string too_many_errors_message(std::size_t listed);

/// The only finding if not even the first one, at `offset`, fits into `most_bytes`.
std::string no_room_message(std::uint64_t most_bytes, std::size_t offset);

} // namespace matchcloud::model
