#pragma once

#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/clock.hpp"
#include "store/access_store.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace matchcloud::actors {

/// Records when tokens were last used, once a minute for all of them, and the sums of the last
/// hour's ingests. Uses of the last minute may be lost. One, on the actors' pool; its blocking work
/// runs on the blocking pool, one task at a time.
class bookkeeping final : public supervised_actor {
public:
  static constexpr std::chrono::milliseconds tick{60'000};

  bookkeeping(caf::actor_config& cfg, const services& with, model::token_snapshot tokens);

  const char* name() const override { return "bookkeeping"; }

protected:
  caf::behavior make_behavior() override;

private:
  void persist();
  /// The uses that have not been written yet.
  std::vector<store::token_use> new_uses();

  const services* with_;
  model::token_snapshot tokens_;
  /// Uses up to this time have been written, in milliseconds since 1970.
  std::int64_t written_ms_ = 0;
};

} // namespace matchcloud::actors
