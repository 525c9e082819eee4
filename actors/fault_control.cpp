#include "actors/fault_control.hpp"

#include "actors/fault_rule.hpp"
#include "model/json/json_writer.hpp"

#include <utility>

namespace matchcloud::actors {

namespace {

using verb = control_faults::verb;

std::string render_one(base::fault_point at) {
  model::json_writer json;
  write_fault_status(json, base::faults::status(at));
  return json.take();
}

} // namespace

base::expected<void> fault_switch::inject(base::fault_point at, const base::fault_rule& rule) {
  const std::lock_guard lock{mutex_};
  if (ended_) return base::fail(base::errc::draining, "The service is shutting down.");
  return base::faults::set(at, rule);
}

void fault_switch::end() {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  base::faults::clear_all();
}

fault_control::fault_control(caf::actor_config& cfg, std::uint64_t seed,
                             std::shared_ptr<fault_switch> by)
    : supervised_actor{cfg, {}}, seed_{seed}, switch_{std::move(by)} {}

caf::behavior fault_control::make_behavior() {
  be_strict();
  return {
      [this](const control_faults& request) {
        const auto front = caf::actor_cast<caf::actor>(current_sender());
        own_statistics().count_handled();
        if (auto made = perform(request))
          send(front, json_made{request.exchange,
                                std::make_shared<const std::string>(std::move(made->json)), false,
                                made->status});
        else
          send(front, operation_failed{request.exchange, std::move(made).error()});
      },
  };
}

base::expected<fault_control::outcome> fault_control::perform(const control_faults& request) const {
  if (request.what == verb::list) return outcome{200, render_all()};
  if (request.what == verb::clear_all) {
    base::faults::clear_all();
    return outcome{204, {}};
  }
  const auto at = base::find_fault_point(request.point);
  if (!at) return tl::unexpected(no_such_fault_point(request.point));
  if (request.what == verb::clear) {
    base::faults::clear(*at);
    return outcome{204, {}};
  }
  if (request.what == verb::put) {
    const auto rule = read_fault_rule(*at, *request.body);
    if (!rule) return base::fail(base::errc::query_invalid, rule.error().detail);
    if (const auto injected = switch_->inject(*at, *rule); !injected)
      return tl::unexpected(injected.error());
  }
  return outcome{200, render_one(*at)};
}

std::string fault_control::render_all() const {
  model::json_writer json;
  json.object().name("seed").number(seed_).name("points").array();
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    write_fault_status(json, base::faults::status(static_cast<base::fault_point>(i)));
  return json.end_array().end_object().take();
}

} // namespace matchcloud::actors
