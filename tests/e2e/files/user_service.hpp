#pragma once

#include "tests/fixtures/raw_connection.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/process.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace matchcloud::e2e {

/// A user, and the group of the same number, that nobody has.
inline constexpr uid_t service_user = 23'417;

/// The program and the arguments that run `matchcloud words..` as that user, in that group alone.
struct user_command {
  explicit user_command(const arguments& words);

  std::string program = "/usr/bin/setpriv";
  arguments args;
};

/// Whether this process is root and that user can run the program. Says so where not: the test has
/// nothing to do then.
bool can_be_service_user();

/// A folder that everybody may enter, with a data directory in it that belongs to `service_user`.
class users_directory {
public:
  users_directory();

  const std::string& data_dir() const noexcept { return data_dir_; }
  /// Everything at and below the data directory that belongs to others, a line each.
  std::string foreign() const;
  /// Runs a command as the service's user, who may read all of the folder.
  command_result run_as_user(const arguments& args) const;
  const fixtures::temporary_directory& folder() const noexcept { return folder_; }

private:
  fixtures::temporary_directory folder_;
  std::string data_dir_;
};

/// `matchcloud serve` on a data directory, on ports that the kernel chooses. Ready once
/// constructed.
class directory_service {
public:
  explicit directory_service(const std::string& data_dir, const environment& added = {});
  /// The same, as the user whose the directory is.
  explicit directory_service(const users_directory& on);

  const address& data() const noexcept { return data_; }
  const address& ops() const noexcept { return ops_; }
  child_process& process() noexcept { return process_; }
  const child_process& process() const noexcept { return process_; }
  answer ask(const std::string& method, const std::string& target,
             const std::string& body = {}) const;
  answer ask_ops(const std::string& target) const;

  /// Exports all demo lobbies; returns path and query of the URL.
  std::string export_all() const;
  /// Exports all demo lobbies, and checks that the download is whole.
  void check_exports() const;

private:
  void wait_until_ready();

  child_process process_;
  address data_;
  address ops_;
};

/// The path of the image of a demo avatar, which `service` serves.
std::string image_target(const directory_service& service);

/// Path and name of every subcommand of the program that does something: "token create".
std::vector<std::string> all_commands();

} // namespace matchcloud::e2e
