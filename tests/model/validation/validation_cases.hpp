#pragma once

#include "model/validation/validation.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace matchcloud::model {

/// One line of a finding as tests compare it.
struct expected_finding {
  std::vector<std::string> path;
  std::string code;
  /// A part of its message.
  std::string says = {};

  friend bool operator==(const expected_finding&, const expected_finding&) = default;
};

/// `/config/kv wrong-type`
std::string to_string(const expected_finding& finding);

/// A case of tests/model/validation/*.json: adding one needs no code. It has `name`, `kind`,
/// `payload` or, where the spelling matters, `text`, and either `findings` in order or `error` and
/// optionally a part of its `detail`. `unknown_members` is `ignore` as on the command line. `rules`
/// holds limits by their names, `edition`, `complete`, `aliases` (of neutral words) and the known
/// `tiers` and `regions`.
///
/// `kind` is version, game or group; config, wrapped into a version; or an object of it: cdn,
/// captcha, matchmaker, game_modes, tier, idle_lobbies, max_players, regions, container_runtime,
/// ports, port, verification. Of such a case comes one for each place where the object occurs, and
/// its paths begin there. A finding is `"/path/to/member code"`, or `{"path": [..], "code": ".."}`
/// where a step holds a slash or space, or where `says` gives a part of its message. What is long
/// is written as case_notation.hpp says.
struct validation_case {
  /// File and name, to find it.
  std::string about;
  payload_kind kind = payload_kind::version;
  std::string body;
  validation_rules rules;
  reference_names names = default_reference_names();
  std::vector<expected_finding> findings;
  /// Empty: there is none.
  std::string error;
  std::string detail;
};

/// All cases of all files. Throws where one cannot be read.
std::vector<validation_case> validation_cases();

/// The `*.json` of a folder below tests/model, by name.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

std::string content(const std::filesystem::path& file);

} // namespace matchcloud::model
