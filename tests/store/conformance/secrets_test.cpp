// Named secrets, on every complete engine.
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/conformance/engines.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace matchcloud::store {
namespace {

using fixtures::child;
using fixtures::event_pipe;

constexpr std::int64_t now_ts = 1'790'000'000'000;
constexpr std::int64_t minute_ms = 60'000;

std::int64_t accepted_ms() {
  return std::chrono::milliseconds{signature_lifetime_limit + secret_grace}.count();
}

bool has(const secret_versions& versions, const secret_version& what) {
  return std::ranges::any_of(versions, [&](const secret_version& each) {
    return each.secret == what.secret && each.created_ts == what.created_ts;
  });
}

/// A store without secrets of each engine in turn.
struct secret_bench {
  std::unique_ptr<fresh_store> fresh;
  std::shared_ptr<secret_store> secrets = fresh->secrets();

  explicit secret_bench(const engine& of = each_complete_engine()) : fresh{of.make()} {}

  secret_versions load() const { return had(fresh->secrets()->load()); }
  void rotate(std::int64_t at_ts, replaced_secrets replaced = replaced_secrets::keep) const {
    had(secrets->rotate(at_ts, replaced));
  }
};

TEST_CASE("a secret is made once, from random bytes, and when it was made is known", "[engines]") {
  const auto& engine = each_complete_engine();
  const secret_bench on{engine};
  const auto before_ts = base::machine_clock().unix_ms();
  const auto first = on.load();
  REQUIRE(first.size() == 1);
  CHECK(on.load() == first);
  CHECK(first.front().accepted_until_ts == until_replaced_ts);
  CHECK(first.front().created_ts >= before_ts);
  CHECK(first.front().created_ts <= base::machine_clock().unix_ms());
  const auto others = engine.make()->secrets();
  CHECK(had(others->load()).front().secret != first.front().secret);
}

TEST_CASE("looking at a secret makes none", "[engines]") {
  const secret_bench on;
  CHECK_FALSE(had(on.secrets->find()).has_value());
  CHECK_FALSE(had(on.fresh->secrets()->find()).has_value());
  const auto made = on.load();
  CHECK(had(on.secrets->find()) == made);
}

TEST_CASE("a secret of another store replaces the existing one", "[engines]") {
  const secret_bench on;
  if (GENERATE(false, true)) (void)on.load();
  const auto others = had(rotated({new_secret_version(1'000)}, 2'000, replaced_secrets::keep));
  had(on.secrets->replace(others));
  CHECK(on.load() == others);
}

TEST_CASE("processes that ask for a secret at once get the same", "[engines]") {
  const auto& engine = each_complete_engine();
  for (int round = 0; round < 5; ++round) {
    const secret_bench on{engine};
    const fixtures::temporary_directory seen;
    const auto load = [&](const std::string& file) {
      const auto loaded = on.fresh->secrets()->load();
      if (!loaded) return false;
      const auto& secret = loaded->front().secret;
      seen.file(file, std::string{secret.begin(), secret.end()});
      return true;
    };
    child first{[&] { return load("a"); }};
    child second{[&] { return load("b"); }};
    child third{[&] { return load("c"); }};
    CHECK(first.succeeded());
    CHECK(second.succeeded());
    CHECK(third.succeeded());
    const auto secret = on.load().front().secret;
    for (const auto* file : {"a", "b", "c"}) {
      std::ifstream in{seen.path(file), std::ios::binary};
      CHECK(std::string{std::istreambuf_iterator<char>{in}, {}} ==
            std::string{secret.begin(), secret.end()});
    }
  }
}

TEST_CASE("a rotated secret is the newest, the replaced one is accepted until what it made expires",
          "[engines]") {
  const secret_bench on;
  const auto first = on.load();
  on.rotate(now_ts);
  const auto after = on.load();
  REQUIRE(after.size() == 2);
  CHECK(after[0].secret != first[0].secret);
  CHECK(after[0].created_ts == now_ts);
  CHECK(after[0].accepted_until_ts == until_replaced_ts);
  CHECK(after[1].secret == first[0].secret);
  CHECK(after[1].created_ts == first[0].created_ts);
  const auto until_ts = now_ts + accepted_ms();
  CHECK(after[1].accepted_until_ts == until_ts);
  CHECK(after[1].is_accepted(until_ts - 1));
  CHECK_FALSE(after[1].is_accepted(until_ts));
  CHECK(after[0].is_accepted(until_ts * 1'000));

  // Its expiry does not move, and then it is removed.
  on.rotate(now_ts + 1'000);
  CHECK(on.load().size() == 3);
  CHECK(on.load().back() == after.back());
  on.rotate(until_ts);
  const auto last = on.load();
  CHECK(last.size() == 3);
  CHECK_FALSE(has(last, first[0]));
  CHECK(has(last, after[0]));
}

TEST_CASE("a replaced signing key is accepted for a day") {
  CHECK(accepted_ms() == (24 * 60 + 1) * minute_ms);
}

TEST_CASE("revoked secrets are gone", "[engines]") {
  const secret_bench on;
  const auto first = on.load();
  on.rotate(now_ts);
  on.rotate(now_ts, replaced_secrets::revoke);
  const auto after = on.load();
  CHECK(after.size() == 1);
  CHECK_FALSE(has(after, first[0]));
}

TEST_CASE("versions in use are bounded; the refusal says when the first of them ends",
          "[engines]") {
  const secret_bench on;
  const auto limit = secret_versions_limit;
  (void)on.load();
  for (std::size_t i = 1; i < limit; ++i)
    on.rotate(now_ts);
  const auto before = on.load();
  CHECK(before.size() == limit);
  const auto refused = on.secrets->rotate(now_ts, replaced_secrets::keep);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::store_failed);
  CHECK(refused.error().detail ==
        "There are 32 keys already that URLs in use may be signed with; the first of them "
        "expires at 2026-09-22T14:14:20.000Z. Rotate again then, or revoke them all with "
        "--revoke.");
  CHECK(on.load() == before);
  on.rotate(now_ts + accepted_ms());
  CHECK(on.load().size() == 2);
}

TEST_CASE("rotations at once lose none", "[engines]") {
  const secret_bench on;
  const auto first = on.load();
  const auto rotate = [&] {
    const auto secrets = on.fresh->secrets();
    for (int i = 0; i < 4; ++i)
      if (!secrets->rotate(now_ts, replaced_secrets::keep)) return false;
    return true;
  };
  child one{rotate};
  child two{rotate};
  CHECK(one.succeeded());
  CHECK(two.succeeded());
  const auto after = on.load();
  CHECK(after.size() == 9);
  CHECK(has(after, first[0]));
}

TEST_CASE("a rotation that is killed leaves the versions before it or after it", "[engines]") {
  const secret_bench on;
  const auto first = on.load();
  for (int round = 0; round < 8; ++round) {
    event_pipe rotated;
    child rotating{[&] {
      const auto secrets = on.fresh->secrets();
      while (secrets->rotate(now_ts, replaced_secrets::revoke))
        if (!rotated.signal()) return false;
      return false;
    }};
    rotated.close_writer();
    for (int i = 0; i <= round; ++i)
      REQUIRE(rotated.wait());
    rotating.kill();
    CHECK(on.load().size() == 1);
  }
  CHECK_FALSE(has(on.load(), first[0]));
}

} // namespace
} // namespace matchcloud::store
