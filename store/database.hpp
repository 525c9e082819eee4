#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/session.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Keeps a process away from a store that a newer program changed in a way unknown to this one.
/// Once closed it stays closed: only another program can use the store again. Any thread.
class store_fence {
public:
  /// `tell` is called once, by the caller that closes the fence. It must not use the fence.
  explicit store_fence(std::function<void(const base::error&)> tell = {})
      : tell_{std::move(tell)} {}

  /// From now on no database behind this fence lends a session.
  void close(const base::error& why) {
    const std::lock_guard lock{mutex_};
    if (why_) return;
    why_ = why;
    if (tell_) tell_(why);
  }
  /// Nothing while the store may be used.
  std::optional<base::error> why() const {
    const std::lock_guard lock{mutex_};
    return why_;
  }

private:
  const std::function<void(const base::error&)> tell_;
  mutable std::mutex mutex_;
  std::optional<base::error> why_;
};

class database;

/// A session of a database, exclusive to its holder and seen as one role; returned on destruction.
/// Keeps the database alive. One thread at a time.
template <class Role>
class lease {
public:
  Role* operator->() const noexcept { return role_; }
  Role& operator*() const noexcept { return *role_; }

private:
  friend class database;
  struct give_back {
    std::shared_ptr<database> to;
    base::steady_time until;
    void operator()(session* from) const;
  };

  lease(std::shared_ptr<database> of, std::unique_ptr<session> held, base::steady_time until,
        Role& role)
      : held_{held.release(), give_back{std::move(of), until}}, role_{&role} {}

  std::unique_ptr<session, give_back> held_;
  /// Of the session.
  Role* role_;
};

/// Limits on the sessions of a database.
struct session_limits {
  /// Sessions that may be lent at the same time; further callers wait.
  std::size_t at_once = 16;
  /// Idle sessions kept open for later callers.
  std::size_t idle = 4;
  /// How long a caller waits for a session before it fails with `overloaded`.
  std::chrono::milliseconds patience{10'000};
  /// How old a session gets before a new one replaces it; 0: no limit.
  std::chrono::milliseconds lifetime{0};
};

/// A store: lends pooled sessions, which an engine opens, as roles. Several databases, even of
/// several processes, may use one store. A session that failed is discarded, and all idle ones with
/// it, so the next caller gets a newly opened one. Held by `std::shared_ptr`. Any thread.
class database : public std::enable_shared_from_this<database> {
public:
  /// An engine: a function that opens a session. Called from any thread, several calls at once.
  using engine = std::function<base::expected<std::unique_ptr<session>>()>;

  /// Opens no session yet.
  database(engine open, const session_limits& limits) : open_{std::move(open)}, limits_{limits} {}

  // Each call waits for a session. It fails with `overloaded` or with the engine's error. Its
  // changes belong to `run`, see `session::attribute`.
  base::expected<lease<catalog_store>> catalog(model::audit_run_ptr run = nullptr) {
    return lend<catalog_store>(std::move(run));
  }
  base::expected<lease<avatar_store>> avatars(model::audit_run_ptr run = nullptr) {
    return lend<avatar_store>(std::move(run));
  }
  base::expected<lease<lobby_sink>> sink(model::audit_run_ptr run = nullptr) {
    return lend<lobby_sink>(std::move(run));
  }
  base::expected<lease<access_store>> access(model::audit_run_ptr run = nullptr) {
    return lend<access_store>(std::move(run));
  }
  base::expected<lease<token_store>> tokens(model::audit_run_ptr run = nullptr) {
    return lend(&sql_tables::tokens, std::move(run));
  }
  base::expected<lease<audit_store>> audit(model::audit_run_ptr run = nullptr) {
    return lend(&sql_tables::audit, std::move(run));
  }
  base::expected<lease<export_records>> exports() { return lend(&sql_tables::exports); }
  base::expected<lease<replica_registry>> replicas() { return lend(&sql_tables::replicas); }
  base::expected<lease<retention_store>> retention(model::audit_run_ptr run = nullptr) {
    return lend(&sql_tables::retention, std::move(run));
  }
  base::expected<lease<erasure_store>> erasures(model::audit_run_ptr run = nullptr) {
    return lend(&sql_tables::erasures, std::move(run));
  }
  base::expected<lease<latency_store>> latencies() { return lend<latency_store>(); }
  base::expected<lease<lobby_history>> history() { return lend<lobby_history>(); }
  base::expected<lease<change_feed>> feed() { return lend<change_feed>(); }
  base::expected<lease<maintenance>> upkeep() { return lend<maintenance>(); }

  /// From now on sessions are lent only while `fence` is open; afterwards calls fail with its
  /// error. Sessions in use stay usable. Call this before other threads use the database.
  void stand_behind(std::shared_ptr<const store_fence> fence) { fence_ = std::move(fence); }

  void show(base::metric_set& in) const;

private:
  template <class Role>
  friend class lease;

  template <class Role>
  base::expected<lease<Role>> lend(model::audit_run_ptr run = nullptr) {
    return lend_as<Role>([](session& of) -> Role& { return of; }, std::move(run));
  }
  template <class Table>
  base::expected<lease<Table>> lend(Table sql_tables::*which, model::audit_run_ptr run = nullptr) {
    return lend_as<Table>([which](session& of) -> Table& { return of.tables().*which; },
                          std::move(run));
  }
  template <class Role, class Find>
  base::expected<lease<Role>> lend_as(Find find, model::audit_run_ptr run) {
    return acquire().map([&](idle_session taken) {
      if (run) taken.held->attribute(std::move(run));
      auto& role = find(*taken.held);
      return lease<Role>{shared_from_this(), std::move(taken.held), taken.until, role};
    });
  }
  /// A session that is not lent, and when it has to be replaced.
  struct idle_session {
    std::unique_ptr<session> held;
    base::steady_time until;
  };

  base::expected<idle_session> acquire();
  /// The idle session that was used last; nothing if there is none.
  std::optional<idle_session> take_idle();
  void release(idle_session taken);
  void leave();

  base::metric_set metrics_;
  const engine open_;
  const session_limits limits_;
  /// Null: always open.
  std::shared_ptr<const store_fence> fence_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::size_t lent_ = 0;
  base::counter opened_{
      metrics_, {"matchcloud_store_sessions_opened_total", "Sessions of the store opened."}};
  base::counter open_failures_{metrics_,
                               {"matchcloud_store_sessions_failed_total",
                                "Sessions of the store that could not be opened."}};
  base::counter timeouts_{metrics_,
                          {"matchcloud_store_sessions_missed_total",
                           "Requests that gave up waiting for a session of the store."}};
  std::vector<idle_session> idle_;
};

template <class Role>
void lease<Role>::give_back::operator()(session* from) const {
  to->release({std::unique_ptr<session>{from}, until});
}

} // namespace matchcloud::store
