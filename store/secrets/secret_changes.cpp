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

base::expected<bool> secret_changes::rotate_if_due(secret_name name, std::int64_t now_ts,
                                                   std::int64_t due_ts) {
  const auto seen = load(name);
  if (!seen) return tl::unexpected(seen.error());
  if (!is_due(*seen, due_ts)) return false;
  return apply(
      name, [&](const secret_versions& before) -> base::expected<std::optional<secret_versions>> {
        if (!is_due(before, due_ts)) return std::nullopt; // another process was faster
        return rotated(name, before, now_ts, replaced_secrets::keep);
      });
}

base::expected<std::size_t> secret_changes::prune(secret_name name, std::int64_t now_ts) {
  const auto seen = find(name);
  if (!seen) return tl::unexpected(seen.error());
  if (!*seen || pruned(**seen, now_ts).size() == (*seen)->size()) return std::size_t{0};
  std::size_t removed = 0;
  return apply(
             name,
             [&](const secret_versions& before) -> base::expected<std::optional<secret_versions>> {
               auto after = pruned(before, now_ts);
               removed = before.size() - after.size();
               if (removed == 0) return std::nullopt;
               return after;
             })
      .map([&](bool) { return removed; });
}

} // namespace matchcloud::store
