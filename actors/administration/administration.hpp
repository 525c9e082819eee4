#pragma once

#include "actors/administration/messages.hpp"
#include "actors/administration/perform.hpp"
#include "actors/request/supervised_actor.hpp"

#include <chrono>

namespace matchcloud::actors {

/// Reads and changes the catalog and the tokens one by one, reads the audit log, removes avatars
/// and begins to erase games, for operators. Each change is a transaction in the store, where the
/// catalog actors of every process find it.
class administration final : public supervised_actor {
public:
  /// How long a change waits for another one in the store. Shorter than a client waits, so that few
  /// changes are made after their client got 504.
  static constexpr std::chrono::seconds patience{5};

  administration(caf::actor_config& cfg, administration_settings settings);

  const char* name() const override { return "administration"; }

protected:
  caf::behavior make_behavior() override;

private:
  /// Has the pool perform a request, and answers it.
  void handle(const administer& request);
  void on(const administered& ended);

  administration_settings settings_;
};

} // namespace matchcloud::actors
