#include "store/secrets/secret_changes.hpp"

namespace matchcloud::store {

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
