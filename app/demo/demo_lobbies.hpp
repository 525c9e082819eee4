#pragma once

#include "base/expected.hpp"
#include "store/lobby_sink.hpp"

namespace matchcloud::app {

/// Gives the demo game 10,000 lobbies that started from 2026-01-01 to 2026-01-31 UTC, the same
/// every time: most of them minutes long, some days, and those that outlive the month run on.
/// True if any of it was news.
base::expected<bool> seed_demo_lobbies(store::lobby_sink& into);

} // namespace matchcloud::app
