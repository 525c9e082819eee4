#pragma once

#include <cstddef>
#include <string>

namespace matchcloud::load {

/// The machine and the program that made a run.
struct machine {
  std::string host;
  std::string processor;
  /// Processors that this process may use.
  std::size_t cores = 0;
  std::string kernel;
  /// The version and commit of this program.
  std::string version;
};

machine this_machine();

} // namespace matchcloud::load
