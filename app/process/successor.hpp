#pragma once

#include <sys/types.h>

#include <string>

namespace matchcloud::app {

/// The process that is to take over from this one, on SIGUSR2: the program that lies at this one's
/// path by then, such as a newer one, with the same arguments. It takes the listeners over once it
/// can serve; where it cannot, it ends, and this process goes on. Main thread only.
class successor {
public:
  /// Notes where the program lies, which may be replaced later.
  successor();

  /// Starts it, unless one is starting. Not where this process is the first of a container, which
  /// would end with it.
  void start();
  /// Says so where it has ended.
  void note_end();

private:
  std::string program_;
  /// 0: none was started, or it has ended.
  pid_t started_ = 0;
};

} // namespace matchcloud::app
