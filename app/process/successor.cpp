#include "app/process/successor.hpp"

#include "app/process/spawn.hpp"
#include "base/events/log.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr auto take_over_flag = "--take-over";

/// The arguments of this process, with those of a successor.
std::vector<std::string> arguments() {
  auto all = arguments_of(::getpid());
  if (std::ranges::find(all, take_over_flag) == all.end()) all.emplace_back(take_over_flag);
  return all;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "by signal " + std::to_string(WTERMSIG(status));
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

successor::successor() {
  std::error_code ignored;
  program_ = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

void successor::start() {
  if (::getpid() == 1)
    return base::log(base::log_event::successor_failed,
                     "SIGUSR2: no successor is started: this is process 1, and the container would "
                     "end with it; start another container instead");
  if (started_ != 0)
    return base::log(base::log_event::successor_started,
                     "SIGUSR2: process {} is already starting to take over", started_);
  pid_t started = 0;
  if (const int failure = spawn({program_, arguments()}, started); failure != 0)
    return base::log(base::log_event::successor_failed,
                     "SIGUSR2: cannot start {}: {}; this process keeps serving", program_,
                     std::generic_category().message(failure));
  started_ = started;
  base::log(base::log_event::successor_started, "SIGUSR2: started process {} from {} to take over",
            started_, program_);
}

void successor::note_end() {
  int status = 0;
  if (started_ == 0 || ::waitpid(started_, &status, WNOHANG) != started_) return;
  base::log(base::log_event::successor_failed,
            "process {}, which should have taken over, ended {}; this process keeps serving",
            started_, describe_end(status));
  started_ = 0;
}

} // namespace matchcloud::app
