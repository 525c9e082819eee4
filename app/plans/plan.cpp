#include "app/plans/plan.hpp"

#include <algorithm>

namespace matchcloud::app {

bool plan::has_load() const noexcept {
  return std::ranges::any_of(
      steps, [](const plan_step& each) { return each.action == step_action::load; });
}

plan_moments plan::moments() const noexcept {
  plan_moments made{lasts, lasts, lasts};
  const auto first = std::ranges::find(steps, step_action::inject, &plan_step::action);
  if (first != steps.end()) made.injecting = first->at;
  for (const auto& each : steps)
    if (each.action == step_action::heal) made.healing = each.at;
  return made;
}

} // namespace matchcloud::app
