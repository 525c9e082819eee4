#include "store/secrets/secret_ring.hpp"

#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<std::unique_ptr<secret_ring>> secret_ring::open(std::shared_ptr<secret_store> from,
                                                               secret_name name) {
  auto versions = from->load(name);
  if (!versions) return tl::unexpected(std::move(versions).error());
  return std::unique_ptr<secret_ring>{new secret_ring{std::move(from), name, *std::move(versions)}};
}

secret_ring::secret_ring(std::shared_ptr<secret_store> from, secret_name name,
                         secret_versions versions)
    : from_{std::move(from)},
      name_{name},
      versions_{std::make_shared<const secret_versions>(std::move(versions))} {}

std::shared_ptr<const secret_versions> secret_ring::current() const {
  const std::lock_guard lock{mutex_};
  return versions_;
}

void secret_ring::refresh() {
  const std::unique_lock alone{refreshing_, std::try_to_lock};
  if (!alone) return;
  auto found = from_->load(name_);
  if (!found) {
    if (!std::exchange(failing_, true))
      base::log(base::log_event::secrets_kept, "{}: {}; the known ones stay in force",
                facts_of(name_).name, base::to_string(found.error()));
    return;
  }
  failing_ = false;
  if (*found == *current()) return;
  auto versions = std::make_shared<const secret_versions>(*std::move(found));
  base::log(base::log_event::secrets_replaced, "{}: {} in force", facts_of(name_).name,
            versions->size());
  const std::lock_guard lock{mutex_};
  versions_ = std::move(versions);
  revision_.fetch_add(1, std::memory_order_release);
}

base::expected<void> secret_changes::replace(secret_name name, const secret_versions& versions) {
  return apply(name,
               [&](const secret_versions&) -> base::expected<std::optional<secret_versions>> {
                 return versions;
               })
      .map([](bool) {});
}

base::expected<void> secret_changes::rotate(secret_name name, std::int64_t now_ts,
                                            replaced_secrets replaced) {
  return apply(name,
               [&](const secret_versions& before) {
                 return rotated(name, before, now_ts, replaced).map([](secret_versions after) {
                   return std::optional{std::move(after)};
                 });
               })
      .map([](bool) {});
}

} // namespace matchcloud::store
