#pragma once

#include "app/plans/plan_run.hpp"

#include <string>

namespace matchcloud::app {

/// `  2.0 s  inject store.read: delay 20..100 ms`, with its line end.
std::string line_of(const step_report& step);

/// The measurements of the load, and each check with the observed value, for people.
std::string summary_of(const plan_report& report);

std::string json_of(const plan& what, const plan_report& report);

} // namespace matchcloud::app
