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

/// A case of tests/model/validation/*.json; adding one needs no code. It has `name`, `kind`,
/// `payload` (or `text`, where the spelling matters), and either `findings` in order or `error`
/// with an optional part of its `detail`. `unknown_members` is `ignore` as on the command line.
/// `rules` holds limits by their names, `edition`, `complete`, `aliases` (of neutral words) and the
/// known `tiers` and `regions`.
///
/// `kind` is version, game or group; config, which is wrapped into a version; or an object inside a
/// config: cdn, captcha, matchmaker, game_modes, tier, idle_lobbies, max_players, regions,
/// container_runtime, ports, port, verification. Such a case expands to one case for each path
/// where the object occurs, and the paths of its findings are relative to the object. A finding is
/// `"/path/to/member code"`, or `{"path": [..], "code": ".."}` if a step holds a slash or space or
/// if `says` gives a part of its message. Long values use the shorthand of case_notation.hpp.
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
