#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::bench {

/// A version's body and its name in the names of benchmarks.
struct named_body {
  std::string name;
  std::string text;
};

/// The files of tests/model/real-configs, sorted by name.
std::vector<named_body> real_configs();

/// `json` without white space between tokens.
std::string minified(const std::string& json);

/// All real configs in one: it has each of their game modes, with its own runtime, and gives modes,
/// scripts and ports unique names. Ports with members unknown to the specification are left out.
/// About 8 kB.
std::string composed_config();

/// Whether a large configuration is valid or has wrong values almost everywhere.
enum class content { clean, faulty };
/// A version with this many game modes (at most 32), each of about 32 KiB and with as many regions,
/// variables, ports, headers and arguments as it may have.
std::string large_config(std::size_t game_modes, content what);

} // namespace matchcloud::bench
