#pragma once

#include "load/find/find.hpp"
#include "load/options.hpp"
#include "load/reports/machine.hpp"
#include "load/reports/service_view.hpp"
#include "load/results.hpp"

namespace matchcloud::load {

/// The data for reports of a run.
struct report_subject {
  const options* asked = nullptr;
  const results* of = nullptr;
  /// Null without --find.
  const found_capacity* found = nullptr;
  /// Null without --ops.
  const service_view* service = nullptr;
  machine on{};
};

} // namespace matchcloud::load
