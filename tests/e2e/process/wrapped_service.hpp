#pragma once

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::e2e {

using fixtures::contains;

/// `matchcloud serve`, started by the command line `wrapper` (an absolute path and arguments, such
/// as those of taskset), which executes the words that follow it. It serves once constructed, or
/// has ended.
class wrapped_service {
public:
  wrapped_service(const arguments& wrapper, const std::string& data_dir,
                  const arguments& flags = {}, const environment& added = {},
                  const std::string& program = program_path())
      : process_{arguments{wrapper.begin() + 1, wrapper.end()} + arguments{program} +
                     arguments{"serve", "--data-dir", data_dir, "--listen", "127.0.0.1:0",
                               "--ops-listen", "127.0.0.1:0"} +
                     flags,
                 added,
                 {},
                 wrapper.front()} {
    while (const auto line = process_.next_line()) {
      if (line->starts_with("listening on ") && data_.port == 0) data_ = at(*line);
      if (!line->starts_with("ops plane on ")) continue;
      ops_ = at(*line);
      serves_ = true;
      return;
    }
  }

  static std::string program_path() { return fixtures::service_program(); }

  /// False: it has ended instead.
  bool serves() const noexcept { return serves_; }
  const address& data() const noexcept { return data_; }
  const address& ops() const noexcept { return ops_; }
  child_process& process() noexcept { return process_; }
  answer ask_ops(const std::string& path) const {
    return raw_connection{ops_}.ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

private:
  static address at(const std::string& line) {
    const auto port = std::stoul(line.substr(line.rfind(':') + 1));
    return {"127.0.0.1", static_cast<std::uint16_t>(port)};
  }

  child_process process_;
  address data_;
  address ops_;
  bool serves_ = false;
};

/// A service with a configuration file, which tests rewrite.
struct reloaded {
  fixtures::temporary_directory folder;
  std::string file = folder.path("service.toml");
  std::unique_ptr<server> of;

  explicit reloaded(const std::string& text, const arguments& more = {}) {
    write(text);
    of = std::make_unique<server>(arguments{"--config", file} + more);
  }
  void write(const std::string& text) const { std::ofstream{file} << text; }
  command_result reload() const { return run({"reload", std::to_string(of->process().pid())}); }
  /// Writes the file and has it taken up.
  std::string take_up(const std::string& text) const {
    write(text);
    const auto done = reload();
    INFO(done.errors << of->process().errors());
    CHECK(done.exit_code == 0);
    return done.out;
  }
  std::string config() const { return of->ask_ops_plane(request("GET", "/v1/config")).body; }
};

/// A wrapper that runs shell commands first, in the process that becomes the service.
inline arguments after_commands(const std::string& commands) {
  return {"/bin/sh", "-ec", commands + "; exec \"$@\"", "sh"};
}

/// The flags of a service that waits for a store that nobody serves.
inline const arguments waits_for_store{"--store", "postgresql://127.0.0.1:1/none"};

} // namespace matchcloud::e2e
