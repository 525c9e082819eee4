#pragma once

#include "base/expected.hpp"
#include "store/lobby_sink.hpp"

namespace matchcloud::app {

/// Adds 10,000 lobbies to the demo game that started from 2026-01-01 to 2026-01-31 UTC, the same
/// every time. Most last minutes, some last days, and those that outlive the month are still
/// running. True if anything changed.
base::expected<bool> seed_demo_lobbies(store::lobby_sink& into);

} // namespace matchcloud::app
