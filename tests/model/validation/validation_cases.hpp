#pragma once

#include "model/validation/validation.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace matchcloud::model {

/// A finding as tests compare it.
struct expected_finding {
  std::vector<std::string> path;
  std::string code;
  /// A part of the finding's message.
  std::string says = {};

  friend bool operator==(const expected_finding&, const expected_finding&) = default;
};

/// The finding as text, such as `/config/kv wrong-type`.
std::string to_string(const expected_finding& finding);

/// A case of tests/model/validation/*.json; adding one needs no code. The files have groups of
/// cases with the same `kind`, `rules` and `unknown_members`. In `cases`, an object, each case has
/// its payload by its name, or an array of the payload and its findings in order; without an array,
/// it has the group's `findings`, by default none. `texts` is the same with texts for payloads,
/// where the spelling matters. A case by itself has `name`, `payload` or `text`, and `findings` or
/// `error` with a part of its `detail`. `unknown_members` is `ignore` as on the command line.
/// `rules` holds limits by their names, `edition`, `complete`, `aliases` (of neutral words) and the
/// known `tiers` and `regions`.
///
/// `kind` is version, game or group; config or display_name, which are wrapped into a version; or
/// an object inside a config: cdn, routes, middlewares, headers (of a route), captcha, matchmaker,
/// game_modes, tier, idle_lobbies, max_players, regions, container_runtime, ports, host_ports (on
/// the host's network), port, verification. Such a case expands to one case for each path where the
/// object occurs. The paths of findings are relative to what is wrapped. A finding is
/// `"/path/to/member code"`, or `"/path/to/member code: part of its message"`, or `{"path": [..],
/// "code": "..", "says": ".."}` if a step holds a slash or space.
///
/// Long values have a shorthand, anywhere in the payload or the findings:
/// - `{"$repeat": "ab", "times": 3}`: the string `ababab`; with `"first": "x"`: `xababab`;
/// - `{"$times": 65, "of": X}`: an array of 65 copies of X;
/// - `{"$times": 65, "name": "A#", "of": X}`: an object with the members `A0` to `A64`; without a
///   `#` in the name, all members have the same name. `"first": Y` and `"then": Z` put the elements
///   or members of Y before and those of Z after the copies;
/// - in X and in the name, `#` inside a string is replaced by the count, which starts at 0 or at
///   `"from"`; `{"$count": 8000}` is the number 8000 plus the count.
struct validation_case {
  /// The file and the case's name, for failure messages.
  std::string about;
  payload_kind kind = payload_kind::version;
  std::string body;
  validation_rules rules;
  reference_names names = default_reference_names();
  std::vector<expected_finding> findings;
  /// Empty if no error is expected.
  std::string error;
  std::string detail;
};

/// All cases of all files. Throws if a file cannot be read.
std::vector<validation_case> validation_cases();

/// The `*.json` files of a folder below tests/model, sorted by name.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

std::string content(const std::filesystem::path& file);

} // namespace matchcloud::model
