#pragma once

#include <sys/types.h>

#include <string>

namespace matchcloud::app {

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
