#include "app/plans/plan_run.hpp"

#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "app/plans/load_child.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "cli/command_line.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <set>
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
constexpr std::size_t examples_limit = 5;

[[noreturn]] void refuse_plan(std::string why) {
  throw base::failure{base::errc::config_invalid, std::move(why)};
}

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
  if (!process) {
    const auto content = cli::read_bounded_file(of.pid, 64);
    if (!content)
      throw base::failure{base::errc::io_failed, of.pid + ": " + content.error().detail};
    process = base::parse_decimal<pid_t>(content->substr(0, content->find_first_of("\r\n ")));
  }
  if (!process || *process <= 1)
    throw base::failure{base::errc::io_failed, of.pid + " has no process id"};
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

class plan_run {
public:
  plan_run(const plan& what, const plan_world& in, const cli::interrupt& until,
           const std::function<void(const step_report&)>& tell)
      : plan_{what}, in_{in}, until_{until}, tell_{tell} {}

  plan_report run() {
    check_names();
    check_loads(plan_, in_.load_program, until_);
    report_.findings.moments = plan_.moments();
    try {
      go();
    } catch (const std::exception& failure) {
      fail(failure.what());
    }
    tidy_up();
    for (const auto& each : plan_.checks)
      report_.checks.push_back({each.text, each.judge(report_.findings)});
    return std::move(report_);
  }

private:
  struct injected {
    const plan_target* into;
    base::fault_point at;
    /// How often faults at the point had hit before.
    std::uint64_t hits;
  };
  struct paused {
    const plan_target* which;
    pid_t process;
    std::unique_ptr<process_guard> guard;
  };

  void check_names() const {
    for (const auto& step : plan_.steps)
      for (const auto& name : step.on) {
        const auto found = std::ranges::find(in_.targets, name, &plan_target::name);
        if (found == in_.targets.end())
          refuse_plan(fmt::format("{0}: there is no process {1}. Name it with --ops {1}=URL.",
                                  plan_.file, name));
        if (step.action == step_action::signal && found->pid.empty())
          refuse_plan(fmt::format("{0}: the step `{1}` needs a process id. Add --pid {2}=PID.",
                                  plan_.file, step.text, name));
      }
  }

  void go() {
    for (const auto& each : in_.targets)
      counters_[&each] = counters_of(base::value_of(ask(each, {"GET", "/metrics", {}})));
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
    auto text = step.text;
    if (step.action == step_action::load) start_load(step);
    if (step.action == step_action::expect) expect(step);
    for (const auto& each : in_.targets) {
      if (!step.is_for(each.name)) continue;
      if (step.action == step_action::inject) inject(step, each);
      if (step.action == step_action::heal) heal(step, each, text);
      if (step.action == step_action::signal) send(step, each);
    }
    tell(std::move(text));
  }

  void inject(const plan_step& step, const plan_target& into) {
    auto rule = step.rule;
    rule.lasts = std::min({rule.lasts, left() + plan_slack, base::fault_longest_time});
    note_counters(into);
    // Noted before injecting, so that a fault whose answer was lost is healed too.
    injected_.push_back({&into, *step.point, counters_[&into][hits_of(*step.point)]});
    if (rule.kind == base::fault_kind::abort) may_be_gone_.insert(&into);
    base::value_of(ask(into, {"PUT", target_of(*step.point), rule_json(rule)}));
  }

  void heal(const plan_step& step, const plan_target& in, std::string& text) {
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
    const auto name = std::string{facts_of(which.at).name};
    const auto was = ask(*which.into, {"GET", target_of(which.at), {}}).and_then(read_fault_point);
    const auto ended = ask(*which.into, {"DELETE", target_of(which.at), {}});
    if (!ended && ended.error().code != base::errc::cancelled && may_be_gone_.contains(which.into))
      return name + " is gone with " + which.into->name;
    if (!ended) return tl::unexpected(ended.error());
    note_counters(*which.into);
    const auto hits = grown(which.hits, counters_[which.into][hits_of(which.at)]);
    return fmt::format("{} hit {} times{}", name, hits, hits > 0 ? "" : why_not_hit(which.at, was));
  }

  void send(const plan_step& step, const plan_target& to) {
    note_counters(to);
    const auto process = process_of(to);
    constexpr std::array endings{SIGKILL, SIGTERM, SIGINT, SIGQUIT};
    if (std::ranges::find(endings, step.signal) != endings.end()) may_be_gone_.insert(&to);
    // A pause heals by itself, as faults do.
    if (step.signal == SIGSTOP)
      paused_.push_back(
          {&to, process, std::make_unique<process_guard>(process, SIGCONT, left() + plan_slack)});
    if (::kill(process, step.signal) != 0)
      throw base::failure{
          base::errc::io_failed,
          fmt::format("process {}: {}", process, std::generic_category().message(errno))};
    if (step.signal == SIGCONT)
      paused_.remove_if([&](const paused& in) { return in.which == &to; });
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

  void expect(const plan_step& step) {
    check_result result{true, {}};
    for (const auto& each : in_.targets) {
      if (!step.is_for(each.name)) continue;
      const auto answer = ask(each, {"GET", "/readyz", {}});
      if (answer.has_value() == step.ready) continue;
      result.holds = false;
      result.seen += each.name + (answer ? " is ready; " : ": " + answer.error().detail + "; ");
    }
    report_.checks.push_back({step.text, std::move(result)});
  }

  /// Collects the reports of loads that have ended; waits for each for `most`.
  void take_loads(milliseconds most) {
    for (auto each = loads_.begin(); each != loads_.end();) {
      if (!each->wait(until_, most)) {
        ++each;
        continue;
      }
      auto& into = report_.findings.load;
      if (!add_report(into, each->output(), began_unix_))
        fail("matchcloud-load: " + each->errors());
      into.examples.resize(std::min(into.examples.size(), examples_limit));
      each = loads_.erase(each);
    }
  }

  void note_counters(const plan_target& of) {
    if (std::ranges::find(paused_, &of, &paused::which) != paused_.end()) return;
    const auto got = ask(of, {"GET", "/metrics", {}});
    if (!got) return; // it may have been killed
    auto now = counters_of(*got);
    for (const auto& [name, count] : now)
      report_.findings.counts[name] += grown(counters_[&of][name], count);
    counters_[&of] = std::move(now);
  }

  void tidy_up() {
    until_.forget();
    for (const auto& each : paused_)
      ::kill(each.process, SIGCONT);
    paused_.clear();
    for (const auto& each : injected_) {
      base::expected<std::string> ended = base::fail(base::errc::cancelled, "");
      for (int i = 0; i < tidy_attempts && !ended; ++i) {
        until_.forget();
        ended = end(each);
      }
      if (ended)
        tell("heal: " + *ended);
      else
        fail(fmt::format("{}: the fault at {} was not ended: {}", each.into->name,
                         facts_of(each.at).name, ended.error().detail));
    }
    for (const auto& each : in_.targets)
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
  static std::string hits_of(base::fault_point at) {
    return fmt::format("hits.{}", facts_of(at).name);
  }
  static std::uint64_t grown(std::uint64_t before, std::uint64_t now) noexcept {
    // Less than before means another process, which began at zero.
    return now >= before ? now - before : now;
  }

  base::expected<std::string> ask(const plan_target& of, const ops_request& what) const {
    return ask_ops_plane(of.plane, what, until_);
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
  std::list<injected> injected_;
  std::list<paused> paused_;
  std::list<load_child> loads_;
  /// Processes that the plan has ended, or may have; their faults are gone with them.
  std::set<const plan_target*> may_be_gone_;
  /// The last known counters of each target.
  std::map<const plan_target*, named_counts> counters_;
  plan_report report_;
};

} // namespace

bool plan_report::holds() const noexcept {
  return failure.empty() &&
         std::ranges::all_of(checks, [](const judged_check& each) { return each.result.holds; });
}

void check_loads(const plan& of, const std::string& load_program, const cli::interrupt& until) {
  for (const auto& step : of.steps) {
    if (step.action != step_action::load) continue;
    // It would take from stdin what the load itself reads there.
    if (std::ranges::any_of(
            step.load, [](const std::string& word) { return word == "-" || word.ends_with("=-"); }))
      continue;
    // It reads all options before it finds that nothing listens at this port.
    auto words = step.load;
    words.insert(words.end(),
                 {"--seed", "1", "--duration", "1ms", "--json", "-", "http://127.0.0.1:1"});
    load_child asked{load_program, std::move(words), plan_slack};
    if (asked.wait(until, load_end_limit) && asked.exit_code() == cli::usage)
      refuse_plan(
          fmt::format("{}: the step `{}` is wrong: {}", of.file, step.text, asked.errors()));
  }
}

plan_report run_plan(const plan& what, const plan_world& in, const cli::interrupt& until,
                     const std::function<void(const step_report&)>& tell) {
  return plan_run{what, in, until, tell}.run();
}

} // namespace matchcloud::app
