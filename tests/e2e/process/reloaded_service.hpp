#pragma once

#include "tests/e2e/process/wrapped_service.hpp"

#include <fstream>
#include <memory>
#include <string>

namespace matchcloud::e2e {

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

} // namespace matchcloud::e2e
