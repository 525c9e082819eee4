#include "app/plans/plan_run.hpp"

#include "actors/fault_control/fault_rule.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/plans/load_child.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <list>
#include <sstream>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How much longer than the plan its faults, its load and its pauses last if nobody ends them, for
/// example because this process was killed.
constexpr seconds plan_slack{60};
/// How long a load may take to end after its time, because its last requests may still wait for
/// answers.
constexpr milliseconds load_end_limit{30'000};
/// Attempts to clean up while signals arrive.
constexpr int tidy_attempts = 3;

/// Counters of a process in Prometheus' text, named as in checks.
named_counts counters_of(const std::string& text) {
  named_counts made;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.substr(0, line.find_first_of("{ "));
    const auto count = [&] {
      return static_cast<std::uint64_t>(std::stod(line.substr(line.rfind(' ') + 1)));
    };
    if (name == "matchcloud_actor_restarts_total") made["restarts"] += count();
    if (name != "matchcloud_faults_hit_total") continue;
    const auto point = line.find('"') + 1;
    made["hits." + line.substr(point, line.rfind('"') - point)] = count();
    made["hits"] += count();
  }
  return made;
}

pid_t process_of(const plan_target& of) {
  auto process = base::parse_decimal<pid_t>(of.pid);
  if (!process) process = base::parse_decimal<pid_t>(first_word(of.pid));
  if (!process || *process <= 1) cli::give_up(of.pid + " has no process id");
  return *process;
}

/// Why a fault did not hit; `was` is its point, before it was healed.
std::string why_not_hit(base::fault_point at, const base::expected<fault_point_state>& was) {
  if (!was) return {};
  if (!was->is_injected) return " before it ended by itself";
  if (was->passes > 0) return fmt::format(": its rule chose none of {} passes", was->passes);
  return fmt::format(": this did not happen: {}{}", facts_of(at).sentence,
                     facts_of(at).group == "bucket" ? " Does the service have a bucket?" : "");
}

std::uint64_t grown(std::uint64_t before, std::uint64_t now) noexcept {
  // Less than before means another process, which began at zero.
  return now >= before ? now - before : now;
}

class plan_run {
public:
  plan_run(const plan& what, const plan_world& in, const cli::interrupt& until,
           const std::function<void(const step_report&)>& tell)
      : plan_{what}, in_{in}, until_{until}, tell_{tell} {
    for (const auto& each : in.targets)
      processes_.emplace_back().is = &each;
  }

  plan_report run() {
    check_names();
    try {
      go();
    } catch (const std::exception& failure) {
      fail(failure.what());
    }
    tidy_up();
    for (const auto& each : plan_.checks)
      report_.checks.push_back(each.judge(report_.findings));
    return std::move(report_);
  }

private:
  struct process {
    const plan_target* is = nullptr;
    /// Its last known counters.
    named_counts counters;
    /// Whether the plan has ended it, or may have; then its faults are gone with it.
    bool may_be_gone = false;
    /// Of a process that the plan paused: resumes it.
    std::optional<process_guard> resumes;
  };
  struct injected {
    process* into;
    base::fault_point at;
    /// How often faults at the point had hit before.
    std::uint64_t hits;
  };

  void check_names() const {
    for (const auto& step : plan_.steps)
      for (const auto& name : step.on) {
        const auto found = std::ranges::find(in_.targets, name, &plan_target::name);
        if (found == in_.targets.end())
          cli::refuse(fmt::format("{0}: there is no process {1}. Name it with --ops {1}=URL.",
                                  plan_.file, name));
        if (step.signal != 0 && found->pid.empty())
          cli::refuse(fmt::format("{0}: the step `{1}` needs a process id. Add --pid {2}=PID.",
                                  plan_.file, step.text, name));
      }
  }

  void go() {
    for (auto& each : processes_)
      each.counters = counters_of(base::value_of(ask(each, {"GET", "/metrics", {}})));
    began_ = base::machine_clock().now();
    began_unix_ = milliseconds{base::machine_clock().unix_ms()};
    for (const auto& step : plan_.steps) {
      if (!wait_until(step.at)) return;
      perform(step);
    }
    if (wait_until(plan_.lasts)) tell("end");
  }

  /// Returns false if the plan cannot go on.
  bool wait_until(milliseconds when) {
    while (report_.failure.empty()) {
      const auto left = when - passed();
      const auto waits = std::clamp<milliseconds>(left, milliseconds{0}, milliseconds{200});
      if (!until_.wait(waits)) fail("interrupted");
      take_loads(milliseconds{0});
      if (left <= waits) break;
    }
    return report_.failure.empty();
  }

  void perform(const plan_step& step) {
    using enum step_action;
    check_result expected{step.text, true, {}};
    auto text = step.text;
    if (step.action == load) start_load(step);
    for (auto& each : processes_) {
      if (!step.is_for(each.is->name)) continue;
      if (step.action == inject) place(step, each);
      if (step.action == heal) end_faults(step, each, text);
      if (step.action == expect) look(step, each, expected);
      if (step.signal != 0) send(step, each);
    }
    if (step.action == expect) report_.checks.push_back(std::move(expected));
    tell(std::move(text));
  }

  void place(const plan_step& step, process& into) {
    auto rule = step.rule;
    rule.lasts = std::min({rule.lasts, left() + plan_slack, base::fault_longest_time});
    note_counters(into);
    // Noted before injecting, so that a fault whose answer was lost is healed too.
    injected_.push_back({&into, *step.point, hits_at(*step.point, into)});
    into.may_be_gone |= rule.kind == base::fault_kind::abort;
    base::value_of(ask(into, {"PUT", target_of(*step.point), actors::fault_rule_json(rule)}));
  }

  void end_faults(const plan_step& step, const process& in, std::string& text) {
    for (auto each = injected_.begin(); each != injected_.end();) {
      if (each->into != &in || (step.point && *step.point != each->at)) {
        ++each;
        continue;
      }
      text.append(text == step.text ? ": " : ", ").append(base::value_of(end(*each)));
      each = injected_.erase(each);
    }
  }

  /// Ends a fault and says what it did.
  base::expected<std::string> end(const injected& which) {
    auto& in = *which.into;
    const auto name = facts_of(which.at).name;
    const auto was = ask(in, {"GET", target_of(which.at), {}}).and_then(read_fault_point);
    const auto ended = ask(in, {"DELETE", target_of(which.at), {}});
    if (!ended && ended.error().code != base::errc::cancelled && in.may_be_gone)
      return fmt::format("{} is gone with {}", name, in.is->name);
    if (!ended) return tl::unexpected(ended.error());
    note_counters(in);
    const auto hits = grown(which.hits, hits_at(which.at, in));
    return fmt::format("{} hit {} times{}", name, hits, hits > 0 ? "" : why_not_hit(which.at, was));
  }

  void send(const plan_step& step, process& to) {
    note_counters(to);
    const auto id = process_of(*to.is);
    // A pause heals by itself, as faults do.
    if (step.action == step_action::pause) to.resumes.emplace(id, SIGCONT, left() + plan_slack);
    to.may_be_gone |= step.signal == SIGKILL || step.signal == SIGTERM;
    if (::kill(id, step.signal) != 0)
      cli::give_up(fmt::format("process {}: {}", id, std::generic_category().message(errno)));
    if (step.action == step_action::resume) to.resumes.reset();
  }

  void start_load(const plan_step& step) {
    auto end = plan_.lasts;
    for (const auto& each : plan_.steps)
      if (each.action == step_action::load && each.at > step.at) end = std::min(end, each.at);
    auto words = step.load;
    words.insert(words.end(),
                 {"--seed", std::to_string(plan_.seed), "--duration",
                  std::to_string((end - step.at).count()) + "ms", "--json", "-", in_.load_url});
    loads_.emplace_back(in_.load_program, std::move(words), left() + plan_slack);
  }

  void look(const plan_step& step, const process& at, check_result& result) const {
    const auto answer = ask(at, {"GET", "/readyz", {}});
    if (answer.has_value() == step.ready) return;
    result.holds = false;
    result.seen += at.is->name + (answer ? " is ready; " : ": " + answer.error().detail + "; ");
  }

  /// Collects the reports of loads that have ended; waits for each for `most`.
  void take_loads(milliseconds most) {
    for (auto each = loads_.begin(); each != loads_.end();) {
      if (!each->wait(until_, most)) {
        ++each;
        continue;
      }
      const auto sent = report_.findings.count("sent");
      const auto code = each->exit_code();
      if (!report_.findings.add_report(each->output(), began_unix_))
        fail("matchcloud-load wrote no report that can be read: " + each->errors());
      else if (code != cli::ok && (code != cli::failed || report_.findings.count("sent") == sent))
        fail("matchcloud-load failed: " + each->errors());
      each = loads_.erase(each);
    }
  }

  void note_counters(process& of) {
    if (of.resumes) return; // it cannot answer
    const auto got = ask(of, {"GET", "/metrics", {}});
    if (!got) return; // it may have been killed
    auto now = counters_of(*got);
    for (const auto& [name, count] : now)
      report_.findings.counts[name] += grown(of.counters[name], count);
    of.counters = std::move(now);
  }

  void tidy_up() {
    until_.forget();
    for (auto& each : processes_)
      each.resumes.reset();
    for (const auto& each : injected_) {
      base::expected<std::string> ended = base::fail(base::errc::cancelled, "");
      for (int i = 0; i < tidy_attempts && !ended; ++i) {
        until_.forget();
        ended = end(each);
      }
      if (ended)
        tell("heal: " + *ended);
      else
        fail(fmt::format("{}: the fault at {} was not ended: {}", each.into->is->name,
                         facts_of(each.at).name, ended.error().detail));
    }
    for (auto& each : processes_)
      note_counters(each);
    if (passed() < plan_.lasts)
      for (const auto& each : loads_)
        each.stop();
    take_loads(load_end_limit);
    // Without results nothing is known about a load, least of all that it had no errors.
    if (!loads_.empty())
      fail("matchcloud-load did not end within 30 s after the plan, so its measurements are "
           "unknown. Use a shorter --timeout for it");
  }

  static std::string target_of(base::fault_point at) {
    return fmt::format("/faults/{}", facts_of(at).name);
  }
  static std::uint64_t hits_at(base::fault_point at, process& in) {
    return in.counters[fmt::format("hits.{}", facts_of(at).name)];
  }
  base::expected<std::string> ask(const process& of, const ops_request& what) const {
    return ask_ops_plane(of.is->plane, what, until_).map(std::mem_fn(&ops_answer::body));
  }
  milliseconds passed() const {
    return std::chrono::duration_cast<milliseconds>(base::machine_clock().now() - began_);
  }
  seconds left() const { return std::chrono::ceil<seconds>(plan_.lasts - passed()); }
  void tell(std::string text) {
    report_.steps.push_back({passed(), std::move(text)});
    tell_(report_.steps.back());
  }
  void fail(const std::string& why) {
    report_.failure.append(report_.failure.empty() ? "" : "; ").append(why);
  }

  const plan& plan_;
  const plan_world& in_;
  const cli::interrupt& until_;
  const std::function<void(const step_report&)>& tell_;
  base::steady_time began_ = base::machine_clock().now();
  milliseconds began_unix_{0};
  std::list<process> processes_;
  std::list<injected> injected_;
  std::list<load_child> loads_;
  plan_report report_;
};

} // namespace

bool plan_report::holds() const noexcept {
  return failure.empty() && std::ranges::all_of(checks, &check_result::holds);
}

std::string first_word(const std::string& file) {
  constexpr std::size_t limit_bytes = 4'096;
  const auto content = cli::read_bounded_file(file, limit_bytes);
  if (!content) cli::refuse(file + ": " + content.error().detail);
  return content->substr(0, content->find_first_of("\r\n "));
}

void check_loads(const plan& of, const std::string& load_program, const cli::interrupt& until) {
  for (const auto& step : of.steps) {
    if (step.action != step_action::load) continue;
    // It reads all options before it finds that nothing listens at this port.
    auto words = step.load;
    words.insert(words.end(),
                 {"--seed", "1", "--duration", "1ms", "--json", "-", "http://127.0.0.1:1"});
    load_child asked{load_program, std::move(words), plan_slack};
    if (asked.wait(until, load_end_limit) && asked.exit_code() == cli::usage)
      cli::refuse(
          fmt::format("{}: the step `{}` is wrong: {}", of.file, step.text, asked.errors()));
  }
}

plan_report run_plan(const plan& what, const plan_world& in, const cli::interrupt& until,
                     const std::function<void(const step_report&)>& tell) {
  return plan_run{what, in, until, tell}.run();
}

} // namespace matchcloud::app
