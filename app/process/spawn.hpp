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

/// The process that SIGUSR2 starts to take over from this one: the program now at this process's
/// path, such as a newer version, with the same arguments. It takes over the listeners once it can
/// serve; if it cannot, it ends and this process keeps serving. Main thread only.
class successor {
public:
  /// Remembers the path of the program, whose file may be replaced later.
  successor();

  /// Starts it, unless one is starting already. Refuses if this process is process 1 of a
  /// container, which would end with it.
  void start();
  /// Logs it if it has ended.
  void note_end();

private:
  std::string program_;
  /// 0: none was started, or it has ended.
  pid_t started_ = 0;
};

} // namespace matchcloud::app
