#pragma once

#include "app/plans/plan_check.hpp"
#include "base/expected.hpp"
#include "base/faults.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// In the order of their names in `plan_reader.cpp`.
enum class step_action : std::uint8_t {
  /// Sets a rule at `point`.
  inject,
  /// Ends the fault at `point`, or all that the plan injected.
  heal,
  /// Send `signal` to processes.
  kill,
  stop,
  pause,
  resume,
  /// Switches to the load of `load`, from its start.
  load,
  /// Fails unless `GET /readyz` of processes says `ready`.
  expect,
};

/// What a plan does at one time.
struct plan_step {
  std::chrono::milliseconds at{0};
  step_action action = step_action::load;
  /// The step for people, such as `inject store.read: delay 20..100 ms`.
  std::string text;
  /// The names of processes, in their order; empty: all.
  std::vector<std::string> on;
  std::optional<base::fault_point> point;
  /// Of `inject`.
  base::fault_rule rule;
  int signal = 0;
  /// Of `load`: options of matchcloud-load.
  std::vector<std::string> load;
  bool ready = true;

  /// Whether it is for the process with this name.
  bool is_for(const std::string& name) const;
};

/// An experiment with faults: timed steps, and checks that have to hold.
struct plan {
  std::string file;
  std::string about;
  /// Decides the times of steps whose time is a span, and what the load sends.
  std::uint64_t seed = 1;
  std::chrono::milliseconds lasts{0};
  /// In the order of their times; a load from the start is the first.
  std::vector<plan_step> steps;
  std::vector<plan_check> checks;

  bool has(step_action what) const noexcept;
  /// `lasts` for those that the plan does not have.
  plan_moments moments() const noexcept;
};

/// Reads a plan. `seed` replaces the plan's. Fails with `config_invalid`; the detail has file, line
/// and advice.
base::expected<plan> read_plan(const std::string& file, std::optional<std::uint64_t> seed);
/// Reads the text of a plan that is called `file`. Fails in the same way.
base::expected<plan> parse_plan(const std::string& text, const std::string& file,
                                std::optional<std::uint64_t> seed);

} // namespace matchcloud::app
