#include "app/process/spawn.hpp"

#include <spawn.h>
#include <unistd.h>

#include <csignal>

namespace matchcloud::app {

namespace {

/// For exec(3); valid as long as `texts` is.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& each : texts)
    all.push_back(each.data());
  all.push_back(nullptr);
  return all;
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
  auto arguments = pointers_to(what.arguments);
  auto variables = pointers_to(what.environment);
  const int failure = ::posix_spawnp(&started, what.program.c_str(), &files, &how, arguments.data(),
                                     what.environment.empty() ? environ : variables.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

} // namespace matchcloud::app
