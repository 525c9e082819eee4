#pragma once

#include "actors/catalog/messages.hpp"
#include "actors/news/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "store/change_feed.hpp"
#include "store/database.hpp"
#include "store/store_contact.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::actors {

struct catalog_settings {
  std::chrono::milliseconds poll_interval{250};
  /// Called on the actor's thread with each set of games whose avatars moved; may be empty.
  std::function<void(const store::moved_games&)> on_moved_avatars;
  /// Called when the catalog has changed, before the subscribers are told. May be empty.
  std::function<void()> on_changed_catalog;
  /// Called on the pool before each poll, to check what the poll does not cover; may be empty.
  std::function<void()> look;
};

/// The current catalog and what the subscribers already know. Reads no store and sends nothing, so
/// that tests can call it directly.
class catalog_state {
public:
  /// `snapshot` and `tokens` are in force until a poll finds others.
  explicit catalog_state(model::catalog_snapshot snapshot, model::token_snapshot tokens = nullptr)
      : snapshot_{std::move(snapshot)},
        tokens_{tokens ? std::move(tokens) : std::make_shared<const model::token_list>()} {}

  const model::catalog_snapshot& snapshot() const noexcept { return snapshot_; }
  const model::token_snapshot& tokens() const noexcept { return tokens_; }
  void set_tokens(model::token_snapshot tokens) { tokens_ = std::move(tokens); }
  /// The known revision of the avatars; negative if none is known yet.
  std::int64_t avatars_revision() const noexcept { return avatars_revision_; }
  const subscribers& listeners() const noexcept { return subscribers_; }
  /// Whether the last poll failed. The store that responds next may be a different one with
  /// unrelated revisions, such as a standby that had not received the last changes.
  bool is_failing() const noexcept { return failing_; }

  /// Replaces the subscribers.
  void subscribe(const subscribers& listeners) { subscribers_ = listeners; }

  enum class outcome : std::uint8_t { unchanged, changed, failed, failed_again };
  /// Applies the result of a poll. `changed` refers to the catalog only; `found.avatars` tells
  /// whether avatar lists moved.
  outcome apply(const store_polled& found);

private:
  model::catalog_snapshot snapshot_;
  /// Kept until the next change, so that a large catalog is freed by this actor and not on an event
  /// loop.
  model::catalog_snapshot previous_;
  model::token_snapshot tokens_;
  subscribers subscribers_;
  std::int64_t avatars_revision_ = -1;
  bool failing_ = false;
};

/// Owns the catalog. Polls the store for a new revision, loads a changed catalog as an immutable
/// snapshot and sends it to the subscribers; does the same with the tokens, which have their own
/// revision; and reports which avatar lists moved. One, on the actors' pool; its blocking work runs
/// on the blocking pool, one task at a time.
class catalog final : public supervised_actor {
public:
  /// `snapshot` and `tokens` are in force until a poll of the store finds others.
  catalog(caf::actor_config& cfg, const services& with, catalog_settings settings,
          model::catalog_snapshot snapshot, model::token_snapshot tokens = nullptr);

  const char* name() const override { return "catalog"; }

protected:
  caf::behavior make_behavior() override;

private:
  void poll();
  void on_polled(const store_polled& found);

  const services* with_;
  catalog_settings settings_;
  catalog_state state_;
  /// The lease of the change feed, taken on first use and again after a failure. Shared with the
  /// polling tasks, which run one at a time.
  std::shared_ptr<std::optional<store::lease<store::change_feed>>> feed_ =
      std::make_shared<std::optional<store::lease<store::change_feed>>>();
};

} // namespace matchcloud::actors
