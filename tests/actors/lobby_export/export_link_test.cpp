#include "actors/lobby_export/export_job.hpp"

#include "tests/catch.hpp"

namespace matchcloud::actors {
namespace {

constexpr std::int64_t now_ts = 1'790'000'000'000;

using store::new_secret_version;
using store::replaced_secrets;
using store::secret_versions;

constexpr std::uint64_t expires_s = 1'790'000'600;
const auto linked_id = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
const auto other_id = *model::parse_uuid("00000000-0000-4000-8000-000000000002");

secret_versions rotate(const secret_versions& before, replaced_secrets replaced) {
  auto after = store::rotated(before, now_ts, replaced);
  REQUIRE(after.has_value());
  return *std::move(after);
}

std::string signature_by(const secret_versions& keys) {
  const auto url = export_url("", linked_id, expires_s, keys);
  return url.substr(url.rfind('=') + 1);
}

bool is_accepted(const secret_versions& keys, const std::string& signature,
                 std::int64_t at_ts = now_ts) {
  return is_export_url_signed(linked_id, expires_s, signature, keys, at_ts);
}

TEST_CASE("a signature is of one URL, by one service") {
  const secret_versions keys{new_secret_version(now_ts)};
  const auto signature = signature_by(keys);
  CHECK(is_accepted(keys, signature));
  CHECK_FALSE(is_export_url_signed(other_id, expires_s, signature, keys, now_ts));
  CHECK_FALSE(is_export_url_signed(linked_id, expires_s + 1, signature, keys, now_ts));
  CHECK_FALSE(is_accepted({new_secret_version(now_ts)}, signature));
}

TEST_CASE("the newest key signs, a replaced one is accepted until its signatures have expired") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto old = signature_by(before);
  const auto after = rotate(before, replaced_secrets::keep);
  const auto fresh = signature_by(after);
  CHECK(fresh != old);
  CHECK_FALSE(is_accepted(before, fresh));
  CHECK(is_accepted(after, fresh));
  CHECK(is_accepted(after, old));
  const auto lifetime_ms = std::chrono::milliseconds{store::signature_lifetime_limit}.count();
  CHECK(is_accepted(after, old, now_ts + lifetime_ms));
  const auto until_ts = after.back().accepted_until_ts;
  CHECK(is_accepted(after, old, until_ts - 1));
  CHECK_FALSE(is_accepted(after, old, until_ts));
  CHECK(is_accepted(after, fresh, until_ts + 1'000 * lifetime_ms));
}

TEST_CASE("what revoked keys signed is refused") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto after = rotate(before, replaced_secrets::revoke);
  CHECK_FALSE(is_accepted(after, signature_by(before)));
  CHECK(is_accepted(after, signature_by(after)));
}

} // namespace
} // namespace matchcloud::actors
