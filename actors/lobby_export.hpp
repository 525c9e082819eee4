#pragma once

#include "actors/lobby_export_state.hpp"
#include "actors/supervised_actor.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace matchcloud::actors {

/// Owns the exports. One, on the pool; the work itself is done on other threads.
class lobby_export final : public supervised_actor, private export_effects {
public:
  lobby_export(caf::actor_config& cfg, lobby_export_settings settings,
               model::catalog_snapshot catalog);

  const char* name() const override { return "lobby_export"; }

protected:
  caf::behavior make_behavior() override;
  /// Handles may keep the ended actor: what it owns goes now. Its jobs go on, for its successor.
  void on_exit() override;

private:
  bool look(std::vector<look_request> requests) override;
  bool run(std::uint64_t job, const model::export_query& query) override;
  void answer(const waiter& who, const std::shared_ptr<const std::string>& json) override;
  void fail(const waiter& who, const base::error& why) override;

  /// Takes over the jobs of the actor that was here before.
  void adopt_jobs();
  void handle(const export_lobbies& request);
  /// A handler of what other threads tell.
  template <class News>
  auto taking();
  void do_housekeeping();
  void remove_expired(std::int64_t now_ts);
  void sweep(std::int64_t now_ts);
  /// False where what was begun before is not done, or the pool is full: at the next tick.
  bool tidy(std::function<void(store::export_files&)> work);

  lobby_export_settings settings_;
  model::catalog_snapshot catalog_;
  lobby_export_state state_{settings_, *this};
  base::steady_time next_sweep_;
  /// Files are being removed or counted.
  std::shared_ptr<std::atomic<bool>> tidying_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace matchcloud::actors
