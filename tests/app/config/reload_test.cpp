#include "app/config/reload.hpp"

#include "app/config/protections.hpp"
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

/// Why `wanted` is refused after `before`; empty: it is not.
std::string refusal_of(const std::vector<given_value>& before,
                       const std::vector<given_value>& wanted) {
  const auto kept = check_protections(protections_of(before), protections_of(wanted));
  return kept ? std::string{} : kept.error().detail;
}

TEST_CASE("a protection does not end because its key is no longer given") {
  const auto other = in_file("loops", "1");
  for (const auto& [key, value, confirmed] :
       {std::array<std::string, 3>{"auth", "required", "auth = \"open\""},
        {"ops-auth", "required", "ops-auth = \"beyond-loopback\""},
        {"anonymous-regions", "false", "anonymous-regions = true"},
        {"rate-limit-address-cheap", "100/10", "rate-limit-address-cheap = \"10000/10\""},
        {"rate-limit-token-expensive", "1/1", "rate-limit-token-expensive = \"2000/10\""},
        {"rate-limit-loopback", "true", "rate-limit-loopback = false"},
        {"max-connections-per-address", "10", "max-connections-per-address = 10000"},
        {"trusted-proxies", "10.0.0.0/8", "trusted-proxies = []"}}) {
    CAPTURE(key);
    const std::vector before{in_file(key, value), other};
    const auto why = refusal_of(before, {other});
    CHECK(why.starts_with(key + " = " + value + " is no longer given"));
    CHECK(why.find("write " + confirmed + " to confirm") != std::string::npos);
    // A weaker value that is written out is the operator's word.
    const auto preset = values_of({}, *find_config_key(key));
    CHECK(refusal_of(before, {other, {key, "--" + key, preset}}).empty());
    CHECK(refusal_of({other, {key, "MATCHCLOUD_X", {value}}}, {other}) == why);
  }
}

TEST_CASE("a value that protects less than its default may be removed") {
  const auto other = in_file("loops", "1");
  CHECK(refusal_of({other, in_file("auth", "open"), in_file("rate-limit-address-cheap", "off"),
                    in_file("rate-limit-token-cheap", "50000/1"),
                    in_file("max-connections-per-address", "20000"),
                    in_file("body-limit-bytes", "2048")},
                   {other})
            .empty());
}

TEST_CASE("a file without keys in place of one with keys is refused") {
  CHECK(refusal_of({in_file("loops", "1")}, {}).starts_with("the file has no keys any more"));
  CHECK(refusal_of({{"loops", "--loops", {"1"}}}, {}).empty());
  CHECK(refusal_of({}, {}).empty());
}

TEST_CASE("a default that is written out is no change, and neither is another source") {
  const given_value flag{"idle-timeout-ms", "--idle-timeout-ms", {"100"}};
  const auto plan = plan_reload({in_file("idle-timeout-ms", "100")},
                                {flag, in_file("loops", "0"), in_file("cors-origins", "*")});
  CHECK(plan.changed.empty());
  CHECK(plan.waiting.empty());
  CHECK(describe_outcome(plan) == "no reloadable key has changed\n");
}

TEST_CASE("the document has neither passwords nor secrets, whatever the key") {
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
