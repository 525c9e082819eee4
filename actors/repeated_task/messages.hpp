#pragma once

#include "actors/request/message.hpp"

namespace matchcloud::actors {

/// repeated_task -> repeated_task, at every interval.
struct repeat_task {};

/// blocking pool -> repeated_task: a run is over.
struct task_ended {};

} // namespace matchcloud::actors
