#include "base/failure.hpp"
#include "store/s3/s3_lenders.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/s3/environment_of.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/s3/moved_clock.hpp"
#include "tests/store/store_fixture.hpp"

#include <filesystem>
#include <map>

namespace matchcloud::store {
namespace {

using action = proxy_action;
using kind = proxy_action::kind;

constexpr const char* full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr const char* relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";

std::string lent(const std::string& id, const std::string& token = "lent-token") {
  return R"({"AccessKeyId":")" + id + R"(","SecretAccessKey":"hush-hush","Token":")" + token +
         R"(","Expiration":"2013-05-24T01:00:00Z"})";
}

base::expected<std::optional<s3_lender>> agent_of(std::map<std::string, std::string> variables) {
  return base::attempt([&] { return container_lender(environment_of(std::move(variables))); });
}

base::expected<s3_loan> fetched(const std::optional<s3_lender>& from) {
  return base::attempt([&] { return from->fetch(); });
}

TEST_CASE("an agent is on this machine, or asked by https") {
  CHECK_FALSE(had(agent_of({})));
  CHECK_FALSE(had(agent_of({{full, ""}, {relative, ""}})));
  const auto ecs = had(agent_of({{relative, "/v2/credentials/x?y"}, {full, "no"}}));
  REQUIRE(ecs);
  CHECK(ecs->url == "http://169.254.170.2");
  CHECK(ecs->target == "/v2/credentials/x?y");
  for (const std::string good :
       {"http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/v1/credentials",
        "http://127.0.0.1:1234/", "http://127.9.9.9", "http://[::1]:80/x", "http://localhost/x",
        "https://agent.example/x", "http://169.254.170.2/x"}) {
    CAPTURE(good);
    CHECK(had(agent_of({{full, good}})));
  }
  for (const std::string bad :
       {"http://169.254.170.24/", "http://10.0.0.1/", "http://agent.example/", "http://[fe80::1]/",
        "ftp://127.0.0.1/", "/v1/credentials", "http://localhost.example/"}) {
    const auto refused = agent_of({{full, bad}});
    CAPTURE(bad);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.starts_with(full));
  }
  const auto secret = agent_of({{full, "https://user:hush-hush@agent.example/"}});
  REQUIRE_FALSE(secret);
  CHECK(secret.error().detail.find("hush-hush") == std::string::npos);
  CHECK(agent_of({{relative, "v2"}}).error().detail.find("begins with a slash") !=
        std::string::npos);
  CHECK_FALSE(
      agent_of({{full, "http://127.0.0.1/"}, {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "a\r\nX: y"}}));
}

TEST_CASE("a token's file comes before the variable, and is read each time") {
  fault_proxy agent{
      {}, [](const seen_request& request) {
        return action{kind::answer, canned(200, lent(request.header("authorization")))};
      }};
  const fixtures::temporary_directory folder;
  const auto file = folder.file("token", "first\n");
  const auto by = had(agent_of({{full, agent.url() + "/x"},
                                {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file},
                                {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "other"}}));
  CHECK(had(fetched(by)).credentials->access_key_id == "first");
  std::filesystem::rename(folder.file("new", "second"), file);
  const auto loan = had(fetched(by));
  CHECK(loan.credentials->access_key_id == "second");
  CHECK(loan.credentials->session_token.revealed() == "lent-token");
  CHECK(loan.expires_ts == moved_clock{}.unix_ms() + 3'600'000);
  std::filesystem::rename(folder.file("new", "Bearer third"), file);
  (void)fetched(by);
  CHECK(agent.seen().back().header("authorization") == "Bearer third");
  std::filesystem::rename(folder.file("new", "two\nlines"), file);
  CHECK(fetched(by).error().detail.find("has no token") != std::string::npos);
  std::filesystem::remove(file);
  CHECK(fetched(by).error().detail.find("No such file") != std::string::npos);
}

TEST_CASE("what is not the answer of an agent or of STS is refused, and nothing of it is shown") {
  for (const std::string& bad :
       {std::string{}, std::string{"hush-hush"}, std::string{"[]"}, lent("A", ""), lent(""),
        std::string{R"({"Token":"hush-hush"})"}}) {
    const auto got = base::attempt([&] { return read_container_credentials(bad); });
    REQUIRE_FALSE(got);
    CHECK(got.error().detail.find("hush-hush") == std::string::npos);
  }
  for (const std::string bad :
       {"", "hush-hush", "<a/>", "<a><AssumeRoleWithWebIdentityResult/></a>",
        "<a><AssumeRoleWithWebIdentityResult><Credentials><SecretAccessKey>hush-hush"
        "</SecretAccessKey></Credentials></AssumeRoleWithWebIdentityResult></a>"}) {
    const auto got = base::attempt([&] { return read_web_identity_credentials(bad); });
    REQUIRE_FALSE(got);
    CHECK(got.error().detail.find("hush-hush") == std::string::npos);
  }
}

TEST_CASE("STS is that of the region, unless the environment says where it is") {
  const auto place = [](std::map<std::string, std::string> more) {
    more.insert({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"}, {"AWS_ROLE_ARN", "arn:x"}});
    return web_identity_lender(environment_of(std::move(more)))->url;
  };
  CHECK(place({}) == "https://sts.amazonaws.com");
  CHECK(place({{"AWS_REGION", "eu-west-1"}}) == "https://sts.eu-west-1.amazonaws.com");
  CHECK(place({{"AWS_REGION", ""}, {"AWS_DEFAULT_REGION", "cn-north-1"}}) ==
        "https://sts.cn-north-1.amazonaws.com.cn");
  CHECK(place({{"AWS_ENDPOINT_URL_STS", "https://sts.example"}}) == "https://sts.example");
  CHECK_THROWS_AS(
      web_identity_lender(environment_of({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"},
                                          {"AWS_ROLE_ARN", "arn:x"},
                                          {"AWS_ENDPOINT_URL_STS", "http://sts.example"}})),
      base::failure);
  CHECK_FALSE(web_identity_lender(environment_of({{"AWS_ROLE_ARN", "arn:x"}})));
  CHECK_THROWS_AS(web_identity_lender(environment_of({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"}})),
                  base::failure);
}

TEST_CASE("credentials come from the first place that has them, in the order of the SDKs") {
  fault_proxy lender{
      {}, [](const seen_request& request) {
        if (request.method == "GET") return action{kind::answer, canned(200, lent("CONTAINER"))};
        return action{kind::answer,
                      canned(200, "<a><AssumeRoleWithWebIdentityResult><Credentials>"
                                  "<AccessKeyId>POD</AccessKeyId><SecretAccessKey>s"
                                  "</SecretAccessKey><SessionToken>t</SessionToken><Expiration>"
                                  "2013-05-24T01:00:00Z</Expiration></Credentials>"
                                  "</AssumeRoleWithWebIdentityResult></a>")};
      }};
  const moved_clock time;
  const fixtures::temporary_directory home;
  std::map<std::string, std::string> variables{{full, lender.url() + "/x"}, {"HOME", home.path()}};
  const auto id = [&] {
    return had(s3_credential_source::open(environment_of(variables), time))
        ->current()
        ->access_key_id;
  };
  CHECK(id() == "CONTAINER");
  std::filesystem::create_directory(home.path(".aws"));
  home.file(".aws/credentials", "[other]\naws_access_key_id=x\naws_secret_access_key=x\n");
  CHECK(id() == "CONTAINER");
  home.file(".aws/credentials", "[default]\naws_access_key_id=FILE\naws_secret_access_key=x\n");
  CHECK(id() == "FILE");
  variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = home.file("token", "a.b.c");
  variables["AWS_ROLE_ARN"] = "arn:x";
  variables["AWS_ENDPOINT_URL_STS"] = lender.url();
  CHECK(id() == "POD");
  variables["AWS_ACCESS_KEY_ID"] = "ENVIRONMENT";
  variables["AWS_SECRET_ACCESS_KEY"] = "x";
  CHECK(id() == "ENVIRONMENT");
  variables["AWS_ACCESS_KEY_ID"] = "";
  CHECK(id() == "POD");
}

} // namespace
} // namespace matchcloud::store
