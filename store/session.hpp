#pragma once

#include "store/avatar_store.hpp"
#include "store/catalog_store.hpp"
#include "store/change_feed.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/maintenance.hpp"

namespace matchcloud::store {

/// Every role of a store, for one caller at a time, as an engine makes them. Callers get it as one
/// role, from a `database`.
///
/// Calls block: they run on the blocking pool, on a thread of the ops plane or in a command, never
/// on an event loop. They fail with `store_failed` or `store_full` besides what they say
/// themselves. What a call has written is on disk when it returns; where it fails, nothing is
/// written.
///
/// Revisions (of the catalog; of a game's avatars and of its lobbies, each subject in one sequence
/// for all games) are for any number of writers, on any number of machines: those of a subject
/// grow, and whoever read revision n has read everything of that subject that was or will be
/// committed with a revision below n. An engine must therefore hand them out in the order of the
/// commits.
class session : public catalog_store,
                public avatar_store,
                public lobby_sink,
                public lobby_history,
                public change_feed,
                public maintenance {
public:
  /// Whether another caller may have it next: nothing of it failed and it was nobody's feed.
  virtual bool is_reusable() const noexcept = 0;
};

} // namespace matchcloud::store
