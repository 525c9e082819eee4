#pragma once

#include "base/failure.hpp"
#include "store/avatar_store.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/object_store.hpp"

#include <cstdint>

namespace matchcloud::app {

inline constexpr std::int64_t day_ms = 86'400'000;
/// How long before the moment of the demo data its first lobbies start.
inline constexpr std::int64_t demo_span_ms = 31 * day_ms;

/// The moment in milliseconds since 1970 that the demo data of a store leads up to, so that seeding
/// it again changes nothing; `wanted_ms` if it has none yet.
std::int64_t moment_of_demo(store::lobby_history& in, std::int64_t wanted_ms);

/// Adds 10,000 lobbies to the demo game that started in the 31 days before `until_ms` (milliseconds
/// since 1970) and are otherwise the same every time. Most last minutes, some last days, and those
/// that outlive that moment are still running. True if anything changed.
bool seed_demo_lobbies(store::lobby_sink& into, std::int64_t until_ms);

/// Adds five avatars to the demo game, created in the 31 days before `until_ms` (milliseconds since
/// 1970) and otherwise the same every time: three with images, two whose upload is incomplete. True
/// if anything changed.
bool seed_demo_avatars(store::avatar_store& into, store::object_store& images,
                       std::int64_t until_ms);

} // namespace matchcloud::app
