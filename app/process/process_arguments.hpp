#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The arguments of a process, its program's name first; empty if there is no such process.
inline std::vector<std::string> arguments_of(pid_t which) {
  std::ifstream file{"/proc/" + std::to_string(which) + "/cmdline"};
  std::vector<std::string> all;
  for (std::string each; std::getline(file, each, '\0');)
    all.push_back(each);
  return all;
}

} // namespace matchcloud::app
