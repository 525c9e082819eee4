#include "store/exports/signature.hpp"

#include "tests/catch.hpp"

namespace matchcloud::store {
namespace {

constexpr std::int64_t now_ts = 1'790'000'000'000;

secret_versions rotate(const secret_versions& before, replaced_secrets replaced) {
  auto after = rotated(secret_name::signing_keys, before, now_ts, replaced);
  REQUIRE(after.has_value());
  return *std::move(after);
}

TEST_CASE("a signature is of one text, by one service") {
  const secret_versions keys{new_secret_version(now_ts)};
  const auto signature = make_signature(keys, "text");
  CHECK(accepts_signature(keys, "text", signature, now_ts));
  CHECK_FALSE(accepts_signature(keys, "other", signature, now_ts));
  CHECK_FALSE(accepts_signature({new_secret_version(now_ts)}, "text", signature, now_ts));
}

TEST_CASE("the newest key signs, a replaced one is accepted until its signatures have expired") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto old = make_signature(before, "text");
  const auto after = rotate(before, replaced_secrets::keep);
  const auto fresh = make_signature(after, "text");
  CHECK(fresh != old);
  CHECK_FALSE(accepts_signature(before, "text", fresh, now_ts));
  CHECK(accepts_signature(after, "text", fresh, now_ts));
  CHECK(accepts_signature(after, "text", old, now_ts));
  const auto lifetime_ms = std::chrono::milliseconds{signature_lifetime_limit}.count();
  CHECK(accepts_signature(after, "text", old, now_ts + lifetime_ms));
  const auto until_ts = after.back().accepted_until_ts;
  CHECK(accepts_signature(after, "text", old, until_ts - 1));
  CHECK_FALSE(accepts_signature(after, "text", old, until_ts));
  CHECK(accepts_signature(after, "text", fresh, until_ts + 1'000 * lifetime_ms));
}

TEST_CASE("what revoked keys signed is refused") {
  const secret_versions before{new_secret_version(now_ts)};
  const auto after = rotate(before, replaced_secrets::revoke);
  CHECK_FALSE(accepts_signature(after, "text", make_signature(before, "text"), now_ts));
  CHECK(accepts_signature(after, "text", make_signature(after, "text"), now_ts));
}

} // namespace
} // namespace matchcloud::store
