#pragma once

#include "base/expected.hpp"
#include "store/access_store.hpp"
#include "store/avatar_store.hpp"
#include "store/catalog_store.hpp"
#include "store/change_feed.hpp"
#include "store/export_records.hpp"
#include "store/latency_store.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/replica_registry.hpp"
#include "store/retention_store.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// How long `tidy` waits for readers and writers.
inline constexpr std::chrono::milliseconds tidy_wait{500};

/// The role of keeping a store's backlog small. See `session` for what the calls of all roles have
/// in common.
class maintenance {
public:
  virtual ~maintenance() = default;

  /// Bytes on disk that are acknowledged but not yet tidied up; they slow readers down and take
  /// disk space. 0 for an engine that tidies up by itself.
  virtual std::uint64_t backlog_bytes() = 0;
  /// Tidies up the whole backlog. Returns false if readers or writers prevented that for
  /// `tidy_wait`.
  virtual base::expected<bool> tidy() = 0;
};

/// The roles that only a SQL database plays.
struct sql_tables {
  sql_tables(sql_connection& on, audit_table& log) noexcept
      : tokens{on, log},
        audit{on, log},
        exports{on, log},
        replicas{on, log},
        retention{on, log},
        erasures{on, log} {}

  token_store tokens;
  audit_store audit;
  export_records exports;
  replica_registry replicas;
  retention_store retention;
  erasure_store erasures;
};

/// All roles of a store for one caller at a time, as implemented by an engine. Callers get a
/// session as one role, from a `database`.
///
/// Calls block, so they run on the blocking pool, on a thread of the ops plane or in a command,
/// never on an event loop. Besides their documented errors they fail with `store_failed` or
/// `store_full`. What a call has written is on disk when it returns; a call that fails has written
/// nothing.
///
/// Revisions exist for the catalog, for avatars (one sequence for all games), for the lobbies of
/// each game and for learned latencies. They support any number of writers on any number of
/// machines. The revisions of a subject only grow, and a reader that saw revision n has seen
/// everything of that subject that was or will be committed with a revision below n. An engine must
/// therefore assign revisions in the order of the commits, or count them in the snapshot of the
/// reader.
///
/// Each change that an operator is accountable for has an entry in the audit log, written by the
/// same transaction: without the entry there is no change.
class session : public catalog_store,
                public avatar_store,
                public lobby_sink,
                public lobby_history,
                public change_feed,
                public access_store,
                public latency_store,
                public maintenance {
public:
  virtual sql_tables& tables() = 0;
  /// From now on this session's changes belong to `run`; if it is null, each change gets its own
  /// run, by the user that this process runs as.
  virtual void attribute(model::audit_run_ptr run) = 0;
  /// Whether a call has failed in a way that leaves the session unusable.
  virtual bool has_failed() const noexcept = 0;
  /// Whether another caller may reuse the session: it has not failed or ended and was not used as a
  /// feed.
  virtual bool is_reusable() const noexcept = 0;
};

} // namespace matchcloud::store
