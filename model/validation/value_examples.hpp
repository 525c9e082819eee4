#pragma once

#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <string>

namespace matchcloud::model {

/// A value in JSON that `rule` accepts, with the members that it requires, for messages about a
/// missing member.
std::string example_of(const value_rule& rule, const validation_rules& rules);

/// The members, in JSON, that an empty matchmaker needs to run a game mode: a runtime, under the
/// name `runtime`, and a mode.
std::string example_of_matchmaker(std::string_view runtime);

/// The same for a game mode: the members of its entry.
std::string example_of_game_mode(std::string_view runtime);

} // namespace matchcloud::model
