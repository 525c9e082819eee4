#include "actors/fault_control/fault_control.hpp"

#include "actors/request/messages.hpp"
#include "base/events/log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace matchcloud::actors {

namespace {

using verb = control_faults::verb;

/// How often to check for newly injected faults.
constexpr std::chrono::seconds look_interval{1};

/// The rule that a change replaces or removes, as JSON; empty if there is none, or if there may be
/// several.
std::string render_rule(const control_faults& request) {
  const auto at = base::find_fault_point(request.point);
  const auto rule = at ? base::faults::status(*at).rule : std::nullopt;
  return rule ? fault_rule_json(*rule) : std::string{};
}

std::string subject_of(const control_faults& request) {
  return request.what == verb::clear_all ? "faults" : "faults/" + request.point;
}

/// Blocks; logs a failure.
base::expected<void> write_entry(store::database& to, const model::audit_author& by,
                                 const model::audit_change& what) {
  const base::faults::exemption unhindered;
  auto recorded =
      to.access(model::run_of(by)).and_then([&](const auto& log) { return log->record(what); });
  if (!recorded)
    base::log(base::log_event::audit_failed, "audit: no entry of {}: {}", what.action,
              to_string(recorded.error()));
  return recorded;
}

} // namespace

base::expected<void> fault_switch::inject(base::fault_point at, const base::fault_rule& rule,
                                          base::steady_time now) {
  const std::lock_guard lock{mutex_};
  if (ended_) return base::fail(base::errc::draining, "The service is shutting down.");
  return base::faults::set(at, rule, now + rule.lasts);
}

void fault_switch::end() {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  base::faults::clear_all();
}

fault_control::fault_control(caf::actor_config& cfg, const services& with, std::uint64_t seed)
    : supervised_actor{cfg, {}}, seed_{seed}, with_{&with} {}

caf::behavior fault_control::make_behavior() {
  be_strict();
  delayed_send(this, look_interval, heal_faults{});
  return {
      [this](heal_faults) { heal(); },
      [this](const control_faults& request) {
        own_statistics().count_handled();
        if (is_over(request.ticket)) return;
        handle(request, caf::actor_cast<caf::actor>(current_sender()));
      },
      [this](const fault_recorded& entry) {
        if (entry.failure)
          send(entry.front, operation_failed{entry.request.exchange, *entry.failure});
        else if (!is_over(entry.request.ticket))
          answer(entry.request, entry.front);
      },
  };
}

void fault_control::heal() {
  const auto now = clock().now();
  for (const auto& each : base::faults::heal(now))
    note_healed(each);
  const auto next = base::faults::next_end();
  const base::steady_time::duration usual = look_interval;
  const auto wait = next == base::steady_time::max() ? usual : std::min(usual, next - now);
  delayed_send(this, wait, heal_faults{});
}

void fault_control::note_healed(const base::healed_fault& which) {
  const auto name = facts_of(which.point).name;
  base::log(base::log_event::fault_healed,
            "fault injection: the fault at {} has healed, {} s after it was injected", name,
            which.rule.lasts.count());
  if (with_->administered == nullptr) return;
  model::audit_author service;
  service.what = model::audit_author::kind::service;
  record_afterwards(service, {model::audit_action::fault_heal,
                              std::string{"faults/"}.append(name),
                              fault_rule_json(which.rule),
                              {}});
}

void fault_control::record_afterwards(const model::audit_author& by, model::audit_change what) {
  const bool taken =
      with_->administering->submit([by, database = with_->administered, what = std::move(what)] {
        static_cast<void>(write_entry(*database, by, what));
      });
  if (!taken)
    base::log(base::log_event::audit_failed, "audit: no entry of a fault that was removed");
}

void fault_control::handle(const control_faults& request, const caf::actor& front) {
  const bool is_change = request.what != verb::list && request.what != verb::get;
  if (with_->administered == nullptr || !is_change) return answer(request, front);
  // A refused request changes nothing and needs no entry.
  if (const auto wrong = check(request); !wrong)
    return send(front, operation_failed{request.exchange, wrong.error()});
  if (request.what != verb::put) {
    const bool is_armed = request.what == verb::clear_all
                              ? base::faults::any_armed()
                              : base::faults::armed(*base::find_fault_point(request.point));
    auto before = is_armed ? render_rule(request) : std::string{};
    answer(request, front);
    if (is_armed)
      record_afterwards(
          request.by,
          {model::audit_action::fault_clear, subject_of(request), std::move(before), {}});
  } else if (!record(request, front)) {
    send(front, operation_failed{request.exchange,
                                 {base::errc::overloaded,
                                  "Too many changes are waiting for the store. Retry later."}});
  }
}

bool fault_control::record(const control_faults& request, const caf::actor& front) {
  model::audit_change what{model::audit_action::fault_put, subject_of(request),
                           render_rule(request), *request.body};
  return with_->administering->submit([self = caf::actor_cast<caf::actor>(this), request, front,
                                       database = with_->administered, what = std::move(what)] {
    fault_recorded entry{request, front, {}};
    if (auto recorded = write_entry(*database, request.by, what); !recorded)
      entry.failure = std::make_shared<const base::error>(std::move(recorded).error());
    caf::anon_send(self, std::move(entry));
  });
}

void fault_control::answer(const control_faults& request, const caf::actor& front) {
  if (auto made = perform(request))
    send(front,
         json_made{request.exchange, std::make_shared<const std::string>(std::move(made->json)),
                   false, made->status});
  else
    send(front, operation_failed{request.exchange, std::move(made).error()});
}

base::expected<void> fault_control::check(const control_faults& request) {
  if (request.what == verb::list || request.what == verb::clear_all) return {};
  const auto at = base::find_fault_point(request.point);
  if (!at) return tl::unexpected(no_such_fault_point(request.point));
  if (request.what != verb::put) return {};
  const auto rule = read_fault_rule(*at, *request.body);
  if (!rule) return base::fail(base::errc::query_invalid, rule.error().detail);
  return {};
}

base::expected<fault_control::outcome> fault_control::perform(const control_faults& request) const {
  if (request.what == verb::list) return outcome{200, render_all(request)};
  if (request.what == verb::clear_all) {
    base::faults::clear_all();
    return outcome{204, {}};
  }
  if (const auto wrong = check(request); !wrong) return tl::unexpected(wrong.error());
  const auto at = *base::find_fault_point(request.point);
  if (request.what == verb::clear) {
    base::faults::clear(at);
    return outcome{204, {}};
  }
  if (request.what == verb::put)
    if (const auto injected =
            with_->faults->inject(at, *read_fault_rule(at, *request.body), clock().now());
        !injected)
      return tl::unexpected(injected.error());
  return outcome{200, model::to_json(show(at, request))};
}

shown_point fault_control::show(base::fault_point at, const control_faults& request) const {
  return {base::faults::status(at), clock().now(), request.reads_tokens};
}

std::string fault_control::render_all(const control_faults& request) const {
  fault_list all{seed_};
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    all.points.push_back(show(static_cast<base::fault_point>(i), request));
  return model::to_json(all);
}

} // namespace matchcloud::actors
