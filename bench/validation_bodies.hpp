#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::bench {

/// A version's body and what it is called in the names of benchmarks.
struct named_body {
  std::string name;
  std::string text;
};

/// tests/model/real-configs, by file name.
std::vector<named_body> real_configs();

/// Without white space between tokens.
std::string minified(const std::string& json);

/// All real configs in one: a game mode for each of theirs, with its runtime and its ports under
/// names of their own; members that the specification does not know left out. About 8 kB.
std::string composed_config();

/// A version with this many game modes (at most 32), each of about 32 KiB and with as many regions,
/// variables, ports, headers and arguments as it may have.
enum class content { clean, faulty };
std::string large_config(std::size_t game_modes, content what);

} // namespace matchcloud::bench
