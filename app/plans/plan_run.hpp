#pragma once

#include "app/client/ops_plane.hpp"
#include "app/plans/plan.hpp"
#include "cli/command.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// `fault run`.
cli::commands fault_run_command();

/// A process that a plan breaks.
struct plan_target {
  std::string name = "service";
  ops_plane plane;
  /// The process's id, or a file that contains it; empty: signals cannot be sent.
  std::string pid = {};
};

/// The services and processes that a plan runs against.
struct plan_world {
  std::vector<plan_target> targets;
  /// The service that receives the load.
  std::string load_url;
  std::string load_program;
};

/// A step that was done.
struct step_report {
  /// Since the plan's start.
  std::chrono::milliseconds at{0};
  std::string text;
};

struct plan_report {
  std::vector<step_report> steps;
  std::vector<check_result> checks;
  plan_findings findings;
  /// Why the plan ended early, or what could not be cleaned up; empty: neither.
  std::string failure;

  bool holds() const noexcept;
};

/// What is in a file up to the first blank or line end. Throws a `base::failure` with
/// `config_invalid`.
std::string first_word(const std::string& file);

/// Asks matchcloud-load whether it knows the options of the plan's loads. Throws a `base::failure`
/// with `config_invalid` if not.
void check_loads(const plan& of, const std::string& load_program, const cli::interrupt& until);

/// Runs a plan once and calls `tell` for each step. However it ends, it then heals its faults and
/// resumes the processes that it paused. Throws a `base::failure` with `config_invalid`, without
/// doing anything, if the plan names processes that are not in `in`. Call in the main thread,
/// before others start.
plan_report run_plan(const plan& what, const plan_world& in, const cli::interrupt& until,
                     const std::function<void(const step_report&)>& tell);

} // namespace matchcloud::app
