#pragma once

#include "app/plans/load_child.hpp"
#include "app/plans/plan.hpp"
#include "app/plans/plan_target.hpp"
#include "base/clock.hpp"
#include "base/expected.hpp"
#include "cli/interrupt.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

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

/// A check and what was seen.
struct judged_check {
  std::string text;
  check_result result;
};

struct plan_report {
  std::vector<step_report> steps;
  std::vector<judged_check> checks;
  plan_findings findings;
  /// Why the plan ended early, or what could not be cleaned up; empty: neither.
  std::string failure;

  bool holds() const noexcept;
};

/// Runs a plan once. However it ends, it then heals its faults and resumes the processes that it
/// paused. Call in the main thread, before others start.
class plan_run {
public:
  /// `tell` is called for each step. All must outlive the run.
  plan_run(const plan& what, const plan_world& in, const cli::interrupt& until,
           std::function<void(const step_report&)> tell);

  /// Fails with `config_invalid` if the plan names processes that are not in `in`, or if the load's
  /// options are wrong.
  base::expected<plan_report> run();

private:
  struct injected {
    const plan_target* into;
    base::fault_point at;
  };
  struct started_load {
    std::chrono::milliseconds began;
    load_child child;
  };

  base::expected<void> check_names() const;
  base::expected<void> check_name(const plan_step& step, const std::string& name) const;
  base::expected<void> go();
  base::expected<void> perform(const plan_step& step);
  base::expected<void> inject(const plan_step& step);
  base::expected<void> heal(const plan_step& step);
  base::expected<void> send(const plan_step& step);
  base::expected<void> start_load(const plan_step& step);
  base::expected<void> expect(const plan_step& step);
  base::expected<void> wait_until(std::chrono::milliseconds when);
  /// Collects the reports of loads that have ended; with `most`, waits for them.
  base::expected<void> take_loads(std::chrono::milliseconds most);
  base::expected<void> take_load(const started_load& ended);
  void note_counters();
  void tidy_up() noexcept;
  std::vector<const plan_target*> targets_of(const plan_step& step) const;
  std::chrono::milliseconds passed() const;
  void tell(std::string text);

  const plan& plan_;
  const plan_world& in_;
  const cli::interrupt& until_;
  std::function<void(const step_report&)> tell_;
  base::steady_time began_;
  std::vector<injected> injected_;
  std::vector<const plan_target*> paused_;
  std::list<started_load> loads_;
  /// The last known counters of each target.
  std::vector<target_counters> counters_;
  plan_report report_;
};

} // namespace matchcloud::app
