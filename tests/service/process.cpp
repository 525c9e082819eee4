#include "tests/service/process.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace matchcloud::e2e {

namespace {

/// Commands wait until what they wrote is on the disk, which a busy machine keeps waiting for long.
constexpr milliseconds disk_patience = std::max(patience, milliseconds{60'000});

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

bool names(const environment& lines, std::string_view line) {
  const auto name = line.substr(0, line.find('=') + 1);
  return std::ranges::any_of(lines, [&](const auto& each) { return each.starts_with(name); });
}

std::vector<std::string> environment_with(const environment& added, const arguments& args) {
  std::vector<std::string> all;
  // Excludes variables that a developer has set for a local server.
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view{*entry}.starts_with("MATCHCLOUD_") && !names(added, *entry))
      all.emplace_back(*entry);
  all.insert(all.end(), added.begin(), added.end());
  for (const auto& line : store_environment(args))
    if (!names(added, line)) all.push_back(line);
  return all;
}

std::string first_line_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

/// Of each thread of a process: where it waits in the kernel, and how long it ran, how long it had
/// to wait for a processor (both in ns) and how often it got one. That tells a hang from a machine
/// that is too busy.
std::string threads_of(pid_t pid) {
  std::string text;
  std::error_code gone;
  for (const auto& each :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/task", gone})
    text += "\n  thread " + each.path().filename().string() + ": " +
            first_line_of(each.path() / "wchan") + " " + first_line_of(each.path() / "schedstat");
  return text;
}

} // namespace

child_process::child_process(const arguments& args, const environment& added,
                             const std::string& input_file, const std::string& program) {
  start(args, added, input_file, program, {});
}

child_process::child_process(const arguments& args, const environment& added,
                             const output_descriptors& to) {
  start(args, added, {}, fixtures::service_program(), to);
}

void child_process::start(const arguments& args, const environment& added,
                          const std::string& input_file, const std::string& program,
                          const output_descriptors& to) {
  std::vector<std::string> words{program};
  words.insert(words.end(), args.begin(), args.end());
  auto names = environment_with(added, args);
  const auto argv = pointers(words);
  const auto envp = pointers(names);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error{"pipe2"};
  output_ = base::file_descriptor{ends[0]};
  base::file_descriptor child_output{ends[1]};
  errors_ = base::file_descriptor{::memfd_create("stderr", MFD_CLOEXEC)};

  base::file_descriptor input;
  if (!input_file.empty())
    input = base::file_descriptor{::open(input_file.c_str(), O_RDONLY | O_CLOEXEC)};

  const auto parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error{"fork"};
  if (pid_ > 0) return;
  // Only async-signal-safe calls: other threads of the test may hold locks.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  if (input) ::dup2(input.get(), STDIN_FILENO);
  ::dup2(to.out >= 0 ? to.out : child_output.get(), STDOUT_FILENO);
  ::dup2(to.errors >= 0 ? to.errors : errors_.get(), STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

child_process::~child_process() {
  if (exit_code_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void child_process::signal(int number) const {
  if (!exit_code_) ::kill(pid_, number);
}

std::optional<std::string> child_process::next_line() {
  const deadline until{disk_patience};
  while (true) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (!wait_for(output_.get(), POLLIN, until)) {
      FAIL("no line on stdout in time; stderr: " << errors() << threads_of(pid_));
    }
    std::array<char, 4096> buffer;
    const auto got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got <= 0) return std::nullopt;
    unread_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::optional<int> child_process::exit_code(const deadline& until) {
  const auto ended = [this] {
    if (exit_code_) return true;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  };
  eventually(ended, until);
  return exit_code_;
}

std::string child_process::errors() const {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const auto got =
        ::pread(errors_.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool child_process::says(std::string_view text, const deadline& until) const {
  return eventually([&] { return errors().find(text) != std::string::npos; }, until);
}

std::size_t number_in_status(pid_t pid, const std::string& name) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  throw std::runtime_error{"no " + name};
}

command_result run(const arguments& args, const environment& added, const std::string& input_file,
                   const std::string& program) {
  child_process child{args, added, input_file, program};
  command_result result;
  while (auto line = child.next_line())
    result.out += *line + "\n";
  const auto code = child.exit_code();
  REQUIRE(code);
  result.exit_code = *code;
  result.errors = child.errors();
  return result;
}

namespace {

/// In a data directory: the environment of the processes that use it, a line each.
constexpr auto environment_file = "/test-environment";

} // namespace

bool tests_on_postgres() {
  const char* said = std::getenv("MATCHCLOUD_TEST_POSTGRES"); // NOLINT(concurrency-mt-unsafe)
  return said != nullptr && std::string{said} == "1";
}

store_url usual_store() {
  if (!tests_on_postgres()) return {};
  if (!fixtures::postgres_installed()) throw std::runtime_error{"PostgreSQL is not installed"};
  return {fixtures::shared_postgres().new_database()};
}

void remove_usual_store(const store_url& store) {
  if (store.text.empty()) return;
  fixtures::shared_postgres().drop_database(store.text);
}

environment serve_store(const std::string& data_dir, const store_url& store) {
  const auto key = data_dir + "/test-master-key";
  std::ofstream{key} << std::string(64, 'a') << '\n';
  ::chmod(key.c_str(), 0600);
  environment lines{"MATCHCLOUD_STORE=" + store.text, "MATCHCLOUD_MASTER_KEY_FILE=" + key};
  tell_processes(data_dir, lines);
  return lines;
}

void tell_processes(const std::string& data_dir, const environment& lines) {
  std::ofstream out{data_dir + environment_file, std::ios::app};
  for (const auto& line : lines)
    out << line << '\n';
}

environment store_environment(const arguments& args) {
  const auto flag = std::find(args.begin(), args.end(), "--data-dir");
  if (flag == args.end() || flag + 1 == args.end()) return {};
  environment lines;
  std::ifstream in{*(flag + 1) + environment_file};
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace matchcloud::e2e
