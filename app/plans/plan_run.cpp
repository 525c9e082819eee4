#include "app/plans/plan_run.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <utility>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

/// How much longer than the plan its faults last if nobody heals them, for example because this
/// process was killed.
constexpr std::chrono::seconds rule_slack{60};
/// How long a load may take to end after its time, because its last requests may still wait for
/// answers.
constexpr milliseconds load_end_limit{30'000};
/// Attempts to clean up while signals arrive.
constexpr int tidy_attempts = 3;
constexpr std::size_t examples_limit = 5;

std::uint64_t grown(std::uint64_t before, std::uint64_t now) noexcept {
  // Less than before means another process, which began at zero.
  return now >= before ? now - before : now;
}

/// Whether the plan has, or may have, ended the process by then; its faults are gone with it.
bool may_be_gone(const plan& of, const plan_target& which, milliseconds by) {
  constexpr std::array endings{SIGKILL, SIGTERM, SIGINT, SIGQUIT};
  return std::ranges::any_of(of.steps, [&](const plan_step& each) {
    const bool ends =
        (each.action == step_action::signal &&
         std::ranges::find(endings, each.signal) != endings.end()) ||
        (each.action == step_action::inject && each.rule.kind == base::fault_kind::abort);
    const bool is_meant =
        each.on.empty() || std::ranges::find(each.on, which.name) != each.on.end();
    return ends && is_meant && each.at <= by;
  });
}

void add(std::string& failures, const std::string& another) {
  failures.append(failures.empty() ? "" : "; ").append(another);
}

} // namespace

bool plan_report::holds() const noexcept {
  return failure.empty() &&
         std::ranges::all_of(checks, [](const judged_check& each) { return each.result.holds; });
}

plan_run::plan_run(const plan& what, const plan_world& in, const cli::interrupt& until,
                   std::function<void(const step_report&)> tell)
    : plan_{what}, in_{in}, until_{until}, tell_{std::move(tell)} {}

base::expected<plan_report> plan_run::run() {
  if (auto known = check_names(); !known) return tl::unexpected(known.error());
  began_ = base::machine_clock().now();
  report_.findings.moments = plan_.moments();
  base::expected<void> done;
  try {
    done = go();
  } catch (const std::exception& failure) {
    done = base::fail(base::errc::io_failed, failure.what());
  }
  if (!done) report_.failure = done.error().detail;
  tidy_up();
  if (!done && done.error().code == base::errc::config_invalid)
    return base::fail(base::errc::config_invalid, report_.failure);
  for (const auto& each : plan_.checks)
    report_.checks.push_back({each.text, each.judge(report_.findings)});
  return std::move(report_);
}

base::expected<void> plan_run::check_names() const {
  for (const auto& step : plan_.steps)
    for (const auto& name : step.on)
      if (auto known = check_name(step, name); !known) return known;
  return {};
}

base::expected<void> plan_run::check_name(const plan_step& step, const std::string& name) const {
  auto why = plan_.file + ": ";
  const auto found = std::ranges::find(in_.targets, name, &plan_target::name);
  if (found == in_.targets.end()) {
    why.append("there is no process ").append(name).append(". Name it with --ops ");
    return base::fail(base::errc::config_invalid, why.append(name).append("=URL."));
  }
  if (step.action != step_action::signal || !found->pid.empty()) return {};
  why.append("the step `").append(step.text).append("` needs a process id. Add --pid ");
  return base::fail(base::errc::config_invalid, why.append(name).append("=PID."));
}

base::expected<void> plan_run::go() {
  for (const auto& each : in_.targets) {
    const auto now = each.counters(until_);
    if (!now) return tl::unexpected(now.error());
    counters_.push_back(*now);
  }
  began_ = base::machine_clock().now();
  for (const auto& step : plan_.steps) {
    auto done = wait_until(step.at).and_then([&] { return perform(step); });
    if (!done) return done;
  }
  if (auto done = wait_until(plan_.lasts); !done) return done;
  tell("end");
  return {};
}

base::expected<void> plan_run::wait_until(milliseconds when) {
  while (true) {
    const auto left = when - passed();
    const auto waits = std::clamp<milliseconds>(left, milliseconds{0}, milliseconds{200});
    if (!until_.wait(waits)) return base::fail(base::errc::cancelled, "interrupted");
    if (auto taken = take_loads(milliseconds{0}); !taken) return taken;
    if (left <= waits) return {};
  }
}

base::expected<void> plan_run::perform(const plan_step& step) {
  switch (step.action) {
  case step_action::inject: return inject(step);
  case step_action::heal: return heal(step);
  case step_action::signal: return send(step);
  case step_action::load: return start_load(step);
  case step_action::expect: return expect(step);
  }
  return {};
}

base::expected<void> plan_run::inject(const plan_step& step) {
  auto rule = step.rule;
  const auto left = std::chrono::ceil<std::chrono::seconds>(plan_.lasts - step.at);
  rule.lasts = std::min({rule.lasts, left + rule_slack, base::fault_longest_time});
  for (const auto* each : targets_of(step)) {
    // Noted before injecting, so that a fault whose answer was lost is healed too.
    injected_.push_back({each, *step.point});
    if (auto done = each->inject(*step.point, rule, until_); !done) return done;
  }
  tell(step.text);
  return {};
}

base::expected<void> plan_run::heal(const plan_step& step) {
  note_counters();
  std::string outcome;
  const auto chosen = targets_of(step);
  for (auto each = injected_.begin(); each != injected_.end();) {
    const bool is_meant = (!step.point || *step.point == each->at) &&
                          std::ranges::find(chosen, each->into) != chosen.end();
    if (!is_meant) {
      ++each;
      continue;
    }
    const auto hits = each->into->heal(each->at, until_);
    if (!hits &&
        (hits.error().code == base::errc::cancelled || !may_be_gone(plan_, *each->into, passed())))
      return tl::unexpected(hits.error());
    outcome.append(outcome.empty() ? ": " : ", ").append(facts_of(each->at).name);
    if (hits)
      outcome.append(" hit ").append(std::to_string(*hits)).append(" times");
    else
      outcome.append(" is gone with ").append(each->into->name);
    each = injected_.erase(each);
  }
  tell(step.text + outcome);
  return {};
}

base::expected<void> plan_run::send(const plan_step& step) {
  note_counters();
  for (const auto* each : targets_of(step)) {
    if (step.signal == SIGSTOP) paused_.push_back(each);
    if (step.signal == SIGCONT) std::erase(paused_, each);
    if (auto sent = each->send(step.signal); !sent) return sent;
  }
  tell(step.text);
  return {};
}

base::expected<void> plan_run::start_load(const plan_step& step) {
  auto end = plan_.lasts;
  for (const auto& each : plan_.steps)
    if (each.action == step_action::load && each.at > step.at) end = std::min(end, each.at);
  auto words = step.load;
  words.insert(words.end(),
               {"--seed", std::to_string(plan_.seed), "--duration",
                std::to_string((end - step.at).count()) + "ms", "--json", "-", in_.load_url});
  const auto began = passed();
  auto child = load_child::start(in_.load_program, std::move(words));
  if (!child) return tl::unexpected(child.error());
  loads_.push_back({began, *std::move(child)});
  tell(step.text);
  return {};
}

base::expected<void> plan_run::expect(const plan_step& step) {
  check_result result{true, {}};
  for (const auto* each : targets_of(step)) {
    const auto answer = ask_ops_plane(each->plane, {"GET", "/readyz", {}}, until_);
    if (answer.has_value() == step.ready) continue;
    result.holds = false;
    result.seen += each->name + (answer ? " is ready; " : ": " + answer.error().detail + "; ");
  }
  report_.checks.push_back({step.text, std::move(result)});
  tell(step.text);
  return {};
}

base::expected<void> plan_run::take_loads(milliseconds most) {
  base::expected<void> all;
  std::erase_if(loads_, [&](started_load& each) {
    if (!each.child.wait(until_, most)) return false;
    if (auto taken = take_load(each); !taken && all) all = std::move(taken);
    return true;
  });
  return all;
}

base::expected<void> plan_run::take_load(const started_load& ended) {
  const auto code = ended.child.exit_code();
  const auto why = [&] { return "matchcloud-load: " + ended.child.errors(); };
  if (code == 2) return base::fail(base::errc::config_invalid, why());
  if (auto added = add_report(report_.findings.load, ended.child.output(), ended.began); !added)
    return base::fail(base::errc::io_failed, why());
  auto& examples = report_.findings.load.examples;
  examples.resize(std::min(examples.size(), examples_limit));
  return {};
}

void plan_run::note_counters() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (std::ranges::find(paused_, &in_.targets[i]) != paused_.end()) continue;
    const auto now = in_.targets[i].counters(until_);
    if (!now) continue; // it may have been killed
    report_.findings.hits += grown(counters_[i].hits, now->hits);
    report_.findings.restarts += grown(counters_[i].restarts, now->restarts);
    counters_[i] = *now;
  }
}

void plan_run::tidy_up() noexcept {
  until_.forget();
  for (const auto* each : paused_)
    static_cast<void>(each->send(SIGCONT));
  paused_.clear();
  for (const auto& each : injected_) {
    base::expected<std::uint64_t> healed = base::fail(base::errc::cancelled, "");
    for (int i = 0; i < tidy_attempts && !healed; ++i) {
      until_.forget();
      healed = each.into->heal(each.at, until_);
    }
    const auto name = std::string{facts_of(each.at).name};
    if (healed)
      tell("heal " + name + ": hit " + std::to_string(*healed) + " times");
    else if (!may_be_gone(plan_, *each.into, passed()))
      add(report_.failure,
          each.into->name + ": the fault at " + name + " was not ended: " + healed.error().detail);
  }
  note_counters();
  const bool ran_out = passed() >= plan_.lasts;
  if (!ran_out)
    for (const auto& each : loads_)
      each.child.stop();
  if (auto taken = take_loads(load_end_limit); !taken) add(report_.failure, taken.error().detail);
  // Without results nothing is known about a load, least of all that it had no errors.
  if (!loads_.empty())
    add(report_.failure, "matchcloud-load did not end within 30 s after the plan, so its "
                         "measurements are unknown. Use a shorter --timeout for it");
}

std::vector<const plan_target*> plan_run::targets_of(const plan_step& step) const {
  std::vector<const plan_target*> all;
  for (const auto& each : in_.targets)
    if (step.on.empty() || std::ranges::find(step.on, each.name) != step.on.end())
      all.push_back(&each);
  return all;
}

milliseconds plan_run::passed() const {
  return std::chrono::duration_cast<milliseconds>(base::machine_clock().now() - began_);
}

void plan_run::tell(std::string text) {
  report_.steps.push_back({passed(), std::move(text)});
  tell_(report_.steps.back());
}

} // namespace matchcloud::app
