#pragma once

#include "app/client/ops_plane_options.hpp"
#include "app/plans/plan_run.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace matchcloud::app {

/// What a plan is run against, as a command line says it.
struct plan_world_options {
  ops_plane_options ops;
  /// `NAME=URL` each.
  std::vector<std::string> planes;
  /// `NAME=PID` or `NAME=FILE` each; without a name, that of the one service.
  std::vector<std::string> pids;
  /// The folder of script/cluster; empty: none.
  std::string cluster;
  std::string load_url;
  std::string load_program;
};

/// `options` must outlive the parsing.
void add_plan_world_options(CLI::App& command, plan_world_options& options);

/// Throws a CLI::ValidationError if an option is of no use.
plan_world plan_world_of(const plan_world_options& options);

} // namespace matchcloud::app
