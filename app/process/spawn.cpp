#include "app/process/spawn.hpp"

#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace matchcloud::app {

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

} // namespace matchcloud::app
