#pragma once

#include "base/files/file_descriptor.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/deadline.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::e2e {

using arguments = std::vector<std::string>;

/// `NAME=value` lines that are added to this process's environment.
using environment = std::vector<std::string>;

/// A program that tests start.
struct program_file {
  explicit program_file(std::string file) : path{std::move(file)} {}
  std::string path;
};

/// Descriptors that a child process gets as stdout and stderr in place of the usual ones; -1: the
/// usual one. The test keeps and closes its own.
struct output_descriptors {
  int out = -1;
  int errors = -1;
};

/// A program as a child process. The destructor kills and reaps it by its process id.
class child_process {
public:
  /// Runs `program args..`. Its stderr goes to a separate file; its stdin is `input_file`, or the
  /// test's stdin if that is empty.
  explicit child_process(const arguments& args, const environment& added = {},
                         const std::string& input_file = {},
                         const std::string& program = fixtures::service_program());
  /// The service's program, whose output goes to `to`.
  child_process(const arguments& args, const environment& added, const output_descriptors& to);
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  pid_t pid() const noexcept { return pid_; }
  void signal(int number) const;

  /// The next line of stdout without its line end, or nothing at the end of the stream. Fails the
  /// test if neither comes before the deadline.
  std::optional<std::string> next_line();
  /// The exit code (128 + signal if a signal ended the process), or nothing if the process still
  /// runs at `until`.
  std::optional<int> exit_code(const deadline& until = deadline{});
  bool running() { return !exit_code(deadline{milliseconds{0}}); }
  /// Everything written to stderr so far.
  std::string errors() const;
  /// Whether stderr has `text` before `until`. A service writes its log on a thread of its own.
  bool says(std::string_view text, const deadline& until = deadline{}) const;

private:
  void start(const arguments& args, const environment& added, const std::string& input_file,
             const std::string& program, const output_descriptors& to);

  pid_t pid_ = -1;
  base::file_descriptor output_;
  base::file_descriptor errors_;
  std::string unread_;
  std::optional<int> exit_code_;
};

/// The value of a line of /proc/PID/status: a count, or KiB.
std::size_t number_in_status(pid_t pid, const std::string& name);

/// The result of a command that ends by itself.
struct command_result {
  int exit_code = -1;
  std::string out;
  std::string errors;
};

command_result run(const arguments& args, const environment& added = {},
                   const std::string& input_file = {},
                   const std::string& program = fixtures::service_program());

/// Whether worlds keep their stores in PostgreSQL (MATCHCLOUD_TEST_POSTGRES=1).
bool tests_on_postgres();

/// A PostgreSQL database by its URL; empty: the store is in the data directory.
struct store_url {
  std::string text;
};

/// A new database of the server that tests share if they run on PostgreSQL, otherwise none.
store_url usual_store();
/// Removes a database of `usual_store`, and ends the connections to it.
void remove_usual_store(const store_url& store);

/// Lets every process that is started on `data_dir` keep its store there, under a new master key:
/// what it is told lies in the directory. Returns the `NAME=value` lines.
environment serve_store(const std::string& data_dir, const store_url& store);

/// Tells every process that is started on `data_dir` these `NAME=value` lines, too.
void tell_processes(const std::string& data_dir, const environment& lines);

/// The `NAME=value` lines for a process with these arguments: what `serve_store` and
/// `tell_processes` have said of the directory after --data-dir. Empty if nothing was said.
environment store_environment(const arguments& args);

} // namespace matchcloud::e2e
