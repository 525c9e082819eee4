#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A program to start.
struct spawned_program {
  /// A path, or a name that is looked up in PATH.
  std::string program;
  /// All arguments, the program's name first.
  std::vector<std::string> arguments;
  /// Descriptors that become its standard output and error; -1: those of this process.
  int output = -1;
  int errors = -1;
};

/// Starts a program and sets `started`; 0, or an errno. Signals that this process has blocked reach
/// the new one. Any thread.
int spawn(spawned_program what, pid_t& started);

/// The arguments of a process, its program's name first; empty if there is no such process.
std::vector<std::string> arguments_of(pid_t which);

/// The rest of the line that begins so in a file of a process in /proc, such as `Uid:` in `status`;
/// empty if there is none.
std::string line_of_process(pid_t which, const std::string& file, std::string_view beginning);

} // namespace matchcloud::app
