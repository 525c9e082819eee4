#include "actors/catalog.hpp"

#include "actors/resident.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace matchcloud::actors {

namespace {

/// The store's catalog if its revision is not `known`, else null.
base::expected<model::catalog_snapshot> read_if_moved(store::store& from, std::int64_t known) {
  const auto changed = from.poll_changed();
  if (!changed) return tl::unexpected(changed.error());
  if (!*changed) return model::catalog_snapshot{};
  const auto revision = from.catalog_revision();
  if (!revision) return tl::unexpected(revision.error());
  if (*revision == known) return model::catalog_snapshot{};
  auto loaded = from.load_catalog();
  if (!loaded) return tl::unexpected(loaded.error());
  return std::make_shared<const model::catalog>(*std::move(loaded));
}

} // namespace

catalog::catalog(caf::actor_config& cfg, catalog_settings settings,
                 model::catalog_snapshot snapshot)
    : caf::event_based_actor{cfg}, settings_{std::move(settings)}, snapshot_{std::move(snapshot)} {}

caf::behavior catalog::make_behavior() {
  set_strict_handlers(*this, name());
  poll();
  return {
      [this](const audience& listeners) {
        audience_ = listeners.members;
        for (const auto& listener : audience_)
          send(listener, catalog_changed{snapshot_});
      },
      [this](poll_store) { poll(); },
      [this](const store_polled& found) {
        take(found);
        delayed_send(this, settings_.poll_interval, poll_store{});
      },
  };
}

void catalog::poll() {
  auto job = [self = caf::actor_cast<caf::actor>(this), open = settings_.open_store,
              link = connection_, known = snapshot_->revision] {
    store_polled found;
    if (!link->store) {
      auto opened = open();
      if (opened)
        link->store = *std::move(opened);
      else
        found.failure = std::make_shared<const base::error>(std::move(opened).error());
    }
    if (link->store) {
      auto moved = read_if_moved(*link->store, known);
      if (moved) {
        found.snapshot = *std::move(moved);
      } else {
        found.failure = std::make_shared<const base::error>(std::move(moved).error());
        // A fresh connection forgets nothing: its first poll says that everything changed.
        link->store.reset();
      }
    }
    caf::anon_send(self, std::move(found));
  };
  if (!settings_.pool->submit(std::move(job)))
    delayed_send(this, settings_.poll_interval, poll_store{});
}

void catalog::take(const store_polled& found) {
  if (found.failure) {
    if (!failing_)
      spdlog::error("catalog: {}; revision {} stays in force", base::to_string(*found.failure),
                    snapshot_->revision);
    failing_ = true;
    return;
  }
  failing_ = false;
  if (!found.snapshot) return;
  previous_ = std::exchange(snapshot_, found.snapshot);
  spdlog::info("catalog: revision {}", snapshot_->revision);
  for (const auto& listener : audience_)
    send(listener, catalog_changed{snapshot_});
}

} // namespace matchcloud::actors
