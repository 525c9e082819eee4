#pragma once

#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"

#include <chrono>
#include <functional>

namespace matchcloud::actors {

struct tls_watch_settings {
  /// Looks whether certificates or secrets were replaced, and puts them in force. Blocks. Keeps
  /// alive what it needs.
  std::function<void()> look;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  std::chrono::milliseconds poll_interval{1'000};
};

/// Has the certificates of TLS listeners and the secrets of their sessions looked at, again and
/// again. One, on the actors' pool; each look runs on the blocking pool, one at a time.
class tls_watch final : public supervised_actor {
public:
  tls_watch(caf::actor_config& cfg, tls_watch_settings settings);

  const char* name() const override { return "tls_watch"; }

protected:
  caf::behavior make_behavior() override;

private:
  void look();

  tls_watch_settings settings_;
};

} // namespace matchcloud::actors
