#pragma once

#include "base/expected.hpp"
#include "store/session.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace matchcloud::store {

class database;

/// A session of a database's, for its holder alone and as one role, given back in the end. It keeps
/// the database. One thread at a time.
template <class Role>
class lease {
public:
  Role* operator->() const noexcept { return held_.get(); }
  Role& operator*() const noexcept { return *held_; }

private:
  friend class database;
  struct give_back {
    std::shared_ptr<database> to;
    void operator()(session* from) const;
  };

  lease(std::shared_ptr<database> of, std::unique_ptr<session> held)
      : held_{held.release(), give_back{std::move(of)}} {}

  std::unique_ptr<session, give_back> held_;
};

/// The sessions of a database.
struct session_limits {
  /// At once; beyond, callers wait.
  std::size_t at_once = 16;
  /// Kept open for the next caller.
  std::size_t idle = 4;
  /// How long a caller waits for a session before it fails with `overloaded`.
  std::chrono::milliseconds patience{10'000};
};

/// A store: hands out roles of pooled sessions, which an engine opens. Several databases, also of
/// several processes, may be on one store. What failed is not given to the next caller: it gets
/// another session. Held by `std::shared_ptr`. Any thread.
class database : public std::enable_shared_from_this<database> {
public:
  /// Makes a session: what an engine is. Any thread, several at once.
  using engine = std::function<base::expected<std::unique_ptr<session>>()>;

  /// Opens nothing yet.
  database(engine open, const session_limits& limits) : open_{std::move(open)}, limits_{limits} {}

  // Each waits for a session, and fails with `overloaded` or as opening one does.
  base::expected<lease<catalog_store>> catalog() { return lend<catalog_store>(); }
  base::expected<lease<avatar_store>> avatars() { return lend<avatar_store>(); }
  base::expected<lease<lobby_sink>> sink() { return lend<lobby_sink>(); }
  base::expected<lease<lobby_history>> history() { return lend<lobby_history>(); }
  base::expected<lease<change_feed>> feed() { return lend<change_feed>(); }
  base::expected<lease<maintenance>> upkeep() { return lend<maintenance>(); }

private:
  template <class Role>
  friend class lease;

  template <class Role>
  base::expected<lease<Role>> lend() {
    return take().map([this](std::unique_ptr<session> taken) {
      return lease<Role>{shared_from_this(), std::move(taken)};
    });
  }
  base::expected<std::unique_ptr<session>> take();
  void give_back(std::unique_ptr<session> taken);
  void leave();

  const engine open_;
  const session_limits limits_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<session>> idle_;
};

template <class Role>
void lease<Role>::give_back::operator()(session* from) const {
  to->give_back(std::unique_ptr<session>{from});
}

} // namespace matchcloud::store
