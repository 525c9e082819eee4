#pragma once

#include "actors/ingestion/ingest_tally.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "store/access_store.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace matchcloud::actors {

struct bookkeeping_settings {
  std::shared_ptr<store::database> database;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  const base::clock* clock = &base::machine_clock();
  std::chrono::milliseconds tick{60'000};
  /// The tally of ingests, whose sums go into the audit log; null: nothing is ingested.
  std::shared_ptr<ingest_tally> tally;
};

/// Records when tokens were last used, once a minute for all of them, and the sums of the last
/// hour's ingests. Uses of the last minute may be lost. One, on the actors' pool; its blocking work
/// runs on the blocking pool, one task at a time.
class bookkeeping final : public supervised_actor {
public:
  bookkeeping(caf::actor_config& cfg, bookkeeping_settings settings, model::token_snapshot tokens);

  const char* name() const override { return "bookkeeping"; }

protected:
  caf::behavior make_behavior() override;

private:
  void persist();
  /// The uses that have not been written yet.
  std::vector<store::token_use> new_uses();

  bookkeeping_settings settings_;
  model::token_snapshot tokens_;
  /// Uses up to this time have been written, in milliseconds since 1970.
  std::int64_t written_ms_ = 0;
};

} // namespace matchcloud::actors
