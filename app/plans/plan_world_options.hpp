#pragma once

#include "app/client/ops_plane_options.hpp"
#include "app/plans/plan_run.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace matchcloud::app {

/// The services and processes that a plan runs against, as given on a command line.
struct plan_world_options {
  ops_plane_options ops;
  /// `NAME=URL` each.
  std::vector<std::string> planes;
  /// `NAME=PID` or `NAME=FILE` each; without a name, for the only service.
  std::vector<std::string> pids;
  /// The folder of script/cluster; empty: none.
  std::string cluster;
  std::string load_url;
  std::string load_program;
};

/// `options` must outlive the parsing.
void add_plan_world_options(CLI::App& command, plan_world_options& options);

/// Throws a CLI::ValidationError if an option is invalid.
plan_world plan_world_of(const plan_world_options& options);

} // namespace matchcloud::app
