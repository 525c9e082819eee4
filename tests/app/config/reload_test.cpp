#include "app/config/reload.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

using names = std::vector<std::string>;

given_value in_file(std::string key, std::string value) {
  auto source = "f.toml:1: " + key;
  return {std::move(key), std::move(source), {std::move(value)}};
}

TEST_CASE("a plan takes what can be reloaded from the new values, everything else from the old") {
  const std::vector before{in_file("loops", "1"), in_file("idle-timeout-ms", "100"),
                           in_file("auth", "required")};
  const std::vector wanted{in_file("loops", "2"), in_file("idle-timeout-ms", "200")};
  const auto plan = plan_reload(before, wanted);
  CHECK(plan.changed == names{"auth", "idle-timeout-ms"});
  CHECK(plan.waiting == names{"loops"});
  const auto next = make_config(plan.given).value();
  CHECK(next.loops == 1);
  CHECK(next.limits.idle_timeout == std::chrono::milliseconds{200});
  CHECK_FALSE(next.front.access.requires_tokens);
  // What waits still waits at the next reload.
  CHECK(plan_reload(plan.given, wanted).waiting == names{"loops"});
  CHECK(plan_reload(plan.given, wanted).changed.empty());
}

TEST_CASE("a default that is written out is no change, and neither is another source") {
  const given_value flag{"idle-timeout-ms", "--idle-timeout-ms", {"100"}};
  const auto plan = plan_reload({in_file("idle-timeout-ms", "100")},
                                {flag, in_file("loops", "0"), in_file("cors-origins", "*")});
  CHECK(plan.changed.empty());
  CHECK(plan.waiting.empty());
  CHECK(describe_outcome(plan) == "no reloadable key has changed\n");
}

TEST_CASE("every key says what a change of it needs") {
  // A change here is one of what users may rely on.
  for (const auto* name : {"auth", "cors-origins", "trusted-proxies", "rate-limit-token-cheap",
                           "body-limit-bytes", "idle-timeout-ms", "drain-delay-ms", "tls-cert",
                           "ops-client-ca", "log-level", "max-in-flight", "store-unreachable-ms"})
    CHECK(find_config_key(name)->is_reloadable);
  for (const auto* name :
       {"listen", "ops-listen", "data-dir", "loops", "store", "byte-budget-bytes",
        "rate-limit-entries", "client-prefix-bits", "mailbox-avatar", "edition",
        "export-timeout-ms", "geoip", "faults", "public-url"})
    CHECK_FALSE(find_config_key(name)->is_reloadable);
}

TEST_CASE("the document has no password and no secret, whatever the key") {
  const auto document =
      describe_configuration({in_file("objects-endpoint", "https://me:hidden@objects.example"),
                              in_file("store", "postgresql://me:hidden@db/games")},
                             {}, "a\xff.toml", 0);
  CHECK(document.find("hidden@") == std::string::npos);
  CHECK(document.find('\xff') == std::string::npos);
  CHECK(document.find(R"("read":"1970-01-01T00:00:00.000Z")") != std::string::npos);
}

} // namespace
} // namespace matchcloud::app
