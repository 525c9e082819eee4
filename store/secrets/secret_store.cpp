#include "store/secrets/secret_store.hpp"

#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<std::unique_ptr<secret_ring>> secret_ring::open(std::shared_ptr<secret_store> from) {
  return from->load().map([&](secret_versions versions) {
    return std::unique_ptr<secret_ring>{new secret_ring{std::move(from), std::move(versions)}};
  });
}

secret_ring::secret_ring(std::shared_ptr<secret_store> from, secret_versions versions)
    : from_{std::move(from)},
      versions_{std::make_shared<const secret_versions>(std::move(versions))} {}

std::shared_ptr<const secret_versions> secret_ring::current() const {
  const std::lock_guard lock{mutex_};
  return versions_;
}

void secret_ring::refresh() {
  const std::unique_lock alone{refreshing_, std::try_to_lock};
  if (!alone) return;
  auto found = from_->load();
  if (!found) {
    if (!std::exchange(failing_, true))
      base::log(base::log_event::secrets_kept, "{}: {}; the known ones stay in force",
                signing_keys_name, base::to_string(found.error()));
    return;
  }
  failing_ = false;
  if (*found == *current()) return;
  auto versions = std::make_shared<const secret_versions>(*std::move(found));
  base::log(base::log_event::secrets_replaced, "{}: {} in force", signing_keys_name,
            versions->size());
  const std::lock_guard lock{mutex_};
  versions_ = std::move(versions);
  revision_.fetch_add(1, std::memory_order_release);
}

base::expected<void> secret_store::replace(const secret_versions& versions) {
  return apply([&](const secret_versions&) { return versions; });
}

base::expected<void> secret_store::rotate(std::int64_t now_ts, replaced_secrets replaced) {
  return apply([&](const secret_versions& before) {
    return base::value_of(rotated(before, now_ts, replaced));
  });
}

} // namespace matchcloud::store
