#pragma once

#include "actors/lobby_export/lobby_export_state.hpp"
#include "actors/lobby_export/messages.hpp"
#include "actors/request/supervised_actor.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace matchcloud::actors {

/// Owns the exports. One, on the actors' pool; the work itself is done on other threads.
class lobby_export final : public supervised_actor, private export_effects {
public:
  lobby_export(caf::actor_config& cfg, const services& with, lobby_export_settings settings,
               model::catalog_snapshot catalog);

  const char* name() const override { return "lobby_export"; }

protected:
  caf::behavior make_behavior() override;
  /// Forgets waiting requests. The jobs continue, and their reports reach the successor.
  void on_exit() override;

private:
  bool look(files_by_query queries) override;
  bool run(std::uint64_t job, const model::export_query& query) override;
  bool follow(std::vector<follow_request> jobs) override;
  void answer(const waiter& who, const std::shared_ptr<const std::string>& json,
              std::int64_t complete_from_ts) override;
  void fail(const waiter& who, const base::error& why) override;

  void handle(const export_lobbies& request);
  /// Makes a handler of messages from other threads.
  template <class News>
  auto taking();
  /// Updates the metrics, and soon checks jobs of other processes, if there are any.
  void note_change();
  void do_housekeeping();
  /// Runs `work` on the pool for tidying. Returns false if earlier work is not finished or the pool
  /// is full; the caller tries again at the next tick.
  bool tidy(std::function<void(store::export_store&)> work);

  const services* with_;
  lobby_export_settings settings_;
  model::catalog_snapshot catalog_;
  /// The same for all successive actors.
  std::shared_ptr<lobby_export_state> state_;
  /// Whether `exports_following` is on its way.
  bool follows_soon_ = false;
};

} // namespace matchcloud::actors
