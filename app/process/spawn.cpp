#include "app/process/spawn.hpp"

#include "base/events/log.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr auto take_over_flag = "--take-over";

/// The arguments of this process, with those of a successor.
std::vector<std::string> successor_arguments() {
  auto all = arguments_of(::getpid());
  if (std::ranges::find(all, take_over_flag) == all.end()) all.emplace_back(take_over_flag);
  return all;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "by signal " + std::to_string(WTERMSIG(status));
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

int spawn(spawned_program what, pid_t& started) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (what.output >= 0) posix_spawn_file_actions_adddup2(&files, what.output, STDOUT_FILENO);
  if (what.errors >= 0) posix_spawn_file_actions_adddup2(&files, what.errors, STDERR_FILENO);
  posix_spawnattr_t how;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> arguments;
  for (auto& each : what.arguments)
    arguments.push_back(each.data());
  arguments.push_back(nullptr);
  const int failure =
      ::posix_spawnp(&started, what.program.c_str(), &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

std::vector<std::string> arguments_of(pid_t which) {
  std::ifstream file{"/proc/" + std::to_string(which) + "/cmdline"};
  std::vector<std::string> all;
  for (std::string each; std::getline(file, each, '\0');)
    all.push_back(each);
  return all;
}

std::string line_of_process(pid_t which, const std::string& file, std::string_view beginning) {
  std::ifstream lines{"/proc/" + std::to_string(which) + "/" + file};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(beginning)) return line.substr(beginning.size());
  return {};
}

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
  if (const int failure = spawn({program_, successor_arguments()}, started); failure != 0)
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
