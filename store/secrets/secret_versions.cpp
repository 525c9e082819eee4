#include "store/secrets/secret_versions.hpp"

#include "base/randomness.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <string>

namespace matchcloud::store {

namespace {

/// The creation time of a version. Engines accept none before 1970, which a machine without a clock
/// battery may report when it starts.
std::int64_t kept_time(std::int64_t now_ts) {
  return std::max<std::int64_t>(now_ts, 0);
}

tl::unexpected<base::error> too_many(const secret_facts& facts, const secret_versions& versions) {
  const auto first_end =
      std::min_element(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
        return a.accepted_until_ts < b.accepted_until_ts;
      })->accepted_until_ts;
  std::string detail = "There are " + std::to_string(facts.versions_limit) + " ";
  detail.append(facts.noun).append("s already that ").append(facts.use);
  detail +=
      "; the first of them expires at " +
      model::format_timestamp(std::clamp<std::int64_t>(first_end, 0, model::timestamp_limit_ms));
  detail.append(". Rotate again then, or ").append(facts.revocation).append(".");
  return base::fail(base::errc::store_failed, std::move(detail));
}

} // namespace

secret_version new_secret_version(std::int64_t now_ts) {
  secret_version made;
  base::fill_random(made.secret);
  made.created_ts = kept_time(now_ts);
  return made;
}

base::expected<secret_versions> rotated(secret_name name, const secret_versions& before,
                                        std::int64_t now_ts, replaced_secrets replaced) {
  const auto& facts = facts_of(name);
  secret_versions after{new_secret_version(now_ts)};
  if (replaced == replaced_secrets::revoke) return after;
  const auto end_ts =
      kept_time(now_ts) + std::chrono::milliseconds{facts.lifetime + secret_grace}.count();
  for (auto each : before) {
    if (each.accepted_until_ts == until_replaced_ts) each.accepted_until_ts = end_ts;
    if (each.is_accepted(now_ts)) after.push_back(each);
  }
  if (after.size() > facts.versions_limit) return too_many(facts, after);
  return after;
}

} // namespace matchcloud::store
