// Credentials that are lent: by the metadata service of EC2, by a container's agent and by AWS STS.
#include "store/s3/s3_lenders.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/s3/s3_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <filesystem>
#include <functional>
#include <map>

namespace matchcloud::store {
namespace {

using action = proxy_action;
using kind = proxy_action::kind;

const std::string roles = "/latest/meta-data/iam/security-credentials/";

/// What the service says of a role, as the EC2 user guide has it. The moved clock begins an hour
/// before they expire.
std::string role_answer(const std::string& id = "ASIAIOSFODNN7EXAMPLE",
                        const std::string& expiration = "2013-05-24T01:00:00Z") {
  return R"({
  "Code" : "Success",
  "LastUpdated" : "2013-05-23T18:00:00Z",
  "Type" : "AWS-HMAC",
  "AccessKeyId" : ")" +
         id + R"(",
  "SecretAccessKey" : "hush-hush",
  "Token" : "lent-token",
  "Expiration" : ")" +
         expiration + "\"\n}";
}

s3_lender lender_at(const std::string& endpoint) {
  return metadata_lender(environment_of({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint}}));
}

base::expected<s3_loan> fetched(const s3_lender& from) {
  return base::attempt([&] { return from.fetch(); });
}

/// A metadata service; what it answers to each kind of request can be replaced.
struct metadata_service {
  explicit metadata_service(const std::function<void(metadata_service&)>& change = {}) {
    if (change) change(*this);
    proxy = std::make_unique<fault_proxy>(
        std::string{}, [this](const seen_request& request) { return answer(request); });
    at.url = proxy->url();
  }

  action answer(const seen_request& request) {
    if (request.is("PUT", "/latest/api/token")) return token;
    if (request.header("x-aws-ec2-metadata-token") != "the-token")
      return {kind::answer, canned(401), 0};
    if (request.target == roles) return role;
    return request.target == roles + "game-role" ? credentials
                                                 : action{kind::answer, canned(404), 0};
  }

  base::expected<std::unique_ptr<s3_credential_source>> open(const base::clock& time) const {
    // The instance's are asked for, whatever else there is.
    return s3_credential_source::open(environment_of({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", at.url},
                                                      {"AWS_ACCESS_KEY_ID", "OTHER"}}),
                                      time, credential_origin::metadata);
  }

  action token{kind::answer, canned(200, "the-token"), 0};
  action role{kind::answer, canned(200, "game-role"), 0};
  action credentials{kind::answer, canned(200, role_answer()), 0};
  s3_lender at = lender_at("");
  std::unique_ptr<fault_proxy> proxy;
};

std::string why_not(const base::expected<s3_loan>& got) {
  REQUIRE(!got.has_value());
  const bool is_away = got.error().code == base::errc::store_failed;
  CHECK((is_away || got.error().code == base::errc::config_invalid));
  CHECK(got.error().detail.find("hush-hush") == std::string::npos);
  CHECK(got.error().detail.find("lent-token") == std::string::npos);
  return got.error().detail;
}

base::expected<s3_loan> read_role(const std::string& answer) {
  return base::attempt([&] { return read_metadata_credentials(answer); });
}

bool has(const std::string& text, std::string_view what) {
  INFO(text);
  CHECK(text.find(what) != std::string::npos);
  return text.find(what) != std::string::npos;
}

TEST_CASE("the credentials of an instance's role are asked for by a token") {
  const metadata_service on;
  const auto loan = had(fetched(on.at));
  CHECK(loan.credentials->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  CHECK(loan.credentials->secret_access_key.revealed() == "hush-hush");
  CHECK(loan.credentials->session_token.revealed() == "lent-token");
  CHECK(loan.expires_ts == moved_clock{}.unix_ms() + 3'600'000);
  const auto seen = on.proxy->seen();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].is("PUT", "/latest/api/token"));
  CHECK(seen[0].header("x-aws-ec2-metadata-token-ttl-seconds") == "60");
  CHECK(seen[1].method == "GET");
  CHECK(seen[2].method == "GET");
}

TEST_CASE("the instance's credentials are used only where they are asked for") {
  const moved_clock time;
  const metadata_service on;
  CHECK(had(on.open(time))->current()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  const environment usual = [](const char*) { return std::optional<std::string>{"USUAL"}; };
  CHECK(had(s3_credential_source::open(usual, time))->current()->access_key_id == "USUAL");
  CHECK(on.proxy->seen().size() == 3);
}

TEST_CASE("the service is where the environment says, and nothing but plain HTTP is spoken") {
  CHECK(lender_at("").url == "http://169.254.169.254");
  CHECK(lender_at("http://[fd00:ec2::254]/").url == "http://[fd00:ec2::254]");
  CHECK(lender_at("http://127.0.0.1:1338").url == "http://127.0.0.1:1338");
  for (const auto* const bad : {"169.254.169.254", "https://127.0.0.1", "file:///etc/passwd",
                                "http://127.0.0.1/latest", "http://127.0.0.1?a", "http://"}) {
    const auto refused = base::attempt([&] { return lender_at(bad); });
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code == base::errc::config_invalid);
    has(refused.error().detail, "AWS_EC2_METADATA_SERVICE_ENDPOINT, '");
    has(refused.error().detail, "Give http://, a host and a port.");
  }
}

TEST_CASE("without a role the error says to attach one") {
  for (const auto& answer : {canned(404, "<html>"), canned(200)}) {
    const metadata_service on{[&](metadata_service& of) { of.role = {kind::answer, answer, 0}; }};
    has(why_not(fetched(on.at)), "; attach a role to the instance");
    CHECK(on.proxy->seen().size() == 2);
    const auto opened = on.open(moved_clock{});
    REQUIRE(!opened.has_value());
    CHECK(opened.error().code == base::errc::config_invalid);
    has(opened.error().detail, "the metadata service of EC2 at http://127.0.0.1:");
  }
}

TEST_CASE("an answer of another status is none, and a redirect is not followed") {
  const auto elsewhere = canned(302, {}, "Location: http://127.0.0.1:1/elsewhere\r\n");
  for (const auto& answer : {canned(403), canned(400), canned(201, "game-role"), elsewhere}) {
    CAPTURE(answer);
    const action instead{kind::answer, answer, 0};
    const metadata_service token{[&](metadata_service& of) { of.token = instead; }};
    has(why_not(fetched(token.at)), "; enable the service on the instance");
    CHECK(token.proxy->seen().size() == 1);
    const metadata_service role{[&](metadata_service& of) { of.role = instead; }};
    has(why_not(fetched(role.at)), "cannot get the name of the instance's role: HTTP ");
    const metadata_service last{[&](metadata_service& of) { of.credentials = instead; }};
    has(why_not(fetched(last.at)), "the credentials of the role game-role: HTTP status ");
    CHECK(last.proxy->seen().size() == 3);
  }
}

TEST_CASE("a metadata service that is away or busy may come back by itself") {
  for (const auto status : {500, 503, 429}) {
    const action busy{kind::answer, canned(status), 0};
    const metadata_service on{[&](metadata_service& of) { of.token = busy; }};
    CHECK(fetched(on.at).error().code == base::errc::store_failed);
  }
  const auto nobody = lender_at("http://127.0.0.1:1");
  CHECK(fetched(nobody).error().code == base::errc::store_failed);
}

TEST_CASE("an answer that is no token or no role's name is not sent back") {
  for (const auto* const bad : {"", "two words", "a\r\nb: c", "\x80", "a\nb"}) {
    const metadata_service on{[&](metadata_service& of) {
      of.token = {kind::answer, canned(200, bad), 0};
    }};
    has(why_not(fetched(on.at)), "cannot get a token: the answer is none");
    CHECK(on.proxy->seen().size() == 1);
  }
  for (const auto& bad : {std::string{"../user-data"}, std::string{"a b"}, std::string{"<html>"},
                          std::string{"\n"}, std::string(65, 'a')}) {
    const metadata_service on{[&](metadata_service& of) {
      of.role = {kind::answer, canned(200, bad), 0};
    }};
    has(why_not(fetched(on.at)), "role: the answer is none");
    CHECK(on.proxy->seen().size() == 2);
  }
  const metadata_service on{[](metadata_service& of) {
    of.role = {kind::answer, canned(200, "game-role\nother"), 0};
  }};
  had(fetched(on.at));
}

TEST_CASE("an answer of the metadata service is not read beyond its limit") {
  const std::string most(lender_answer_limit_bytes - role_answer().size(), ' ');
  const auto got = [](const std::string& text) {
    const metadata_service on{[&](metadata_service& of) {
      of.credentials = {kind::answer, canned(200, text), 0};
    }};
    return fetched(on.at);
  };
  had(got(role_answer() + most));
  has(why_not(got(role_answer() + most + " ")), "the answer has more than 65536 bytes");
}

TEST_CASE("what is not the answer of a role is refused, and nothing of it is shown") {
  const auto reason = [](std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    return why_not(read_role(text.replace(at, from.size(), to)));
  };
  const auto good = role_answer();
  for (const auto* const garbage : {"", "hush-hush", "[\"hush-hush\"]", "{\"Code\": hush-hush}"})
    CHECK(why_not(read_role(garbage)) == "the answer is not a JSON object");
  CHECK(reason(good, "\"Success\"", "\"Failed\"") == "its code is 'Failed' and not 'Success'");
  CHECK(reason(good, "\"Success\"", "\"a\\nb\"") == "its code is another and not 'Success'");
  CHECK(reason(good, "\"Success\"", "1") == "its code is another and not 'Success'");
  CHECK(reason(good, "2013-05-24T01:00:00Z", "soon") == "it does not say when they expire");
  CHECK(reason(good, "Expiration", "expiration") == "it does not say when they expire");
  CHECK(reason(good, "AccessKeyId", "Id") == "the access key id is missing");
  CHECK(reason(good, "\"hush-hush\"", "null") == "the secret access key is missing");
  CHECK(reason(good, "hush-hush", "hush hush") ==
        "the secret access key has a character that no key has");
  CHECK(reason(good, "\"Token\"", "\"Tok\"") == "the session token is missing");
}

TEST_CASE("whatever is changed in an answer, it is read or refused, and shows no secret") {
  const auto good = role_answer();
  const auto judged = [](const std::string& text) {
    const auto read = read_role(text);
    if (read) return !read->credentials->access_key_id.empty() && read->expires_ts >= 0;
    return read.error().code == base::errc::config_invalid &&
           read.error().detail.find("hush") == std::string::npos &&
           read.error().detail.find("lent-") == std::string::npos;
  };
  for (std::size_t length = 0; length < good.size(); ++length)
    CHECK_FALSE(read_role(good.substr(0, length)).has_value());
  CHECK(rc::check([&](const std::string& noise, std::uint16_t at, std::uint8_t cut) {
    auto text = good;
    text.replace(at % text.size(), cut % 16, noise);
    RC_ASSERT(judged(text));
    RC_ASSERT(judged(noise));
  }));
}

TEST_CASE("a metadata service that does not answer is left at the deadline") {
  metadata_service on{[](metadata_service& of) { of.role.what = kind::hang; }};
  on.at.timeout = std::chrono::milliseconds{100};
  const auto begun = base::machine_clock().now();
  has(why_not(fetched(on.at)), "it exists only on EC2");
  CHECK(base::machine_clock().now() - begun < e2e::patience / 4);
  on.proxy.reset();
  has(why_not(fetched(on.at)), "Connection refused");
}

// -- roles of containers and pods

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
    if (bad.starts_with("http://10."))
      has(refused.error().detail, "uses plain http beyond this machine");
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
  const auto half = base::attempt([] {
    return web_identity_lender(environment_of({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"}}));
  });
  REQUIRE_FALSE(half);
  has(half.error().detail, "AWS_ROLE_ARN is not");
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

TEST_CASE("a refusal of an agent or of STS says what to do") {
  const fault_proxy lender{
      {}, [](const seen_request& request) {
        if (request.method == "GET") return action{kind::answer, canned(401)};
        return action{kind::answer,
                      canned(403, R"(<ErrorResponse xmlns="https://sts.amazonaws.com/doc/">)"
                                  "<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>"
                                  "Not authorized to perform sts:AssumeRoleWithWebIdentity"
                                  "</Message></Error><RequestId>1</RequestId></ErrorResponse>")};
      }};
  const auto unlent = fetched(had(agent_of({{full, lender.url() + "/x"}})));
  has(why_not(unlent), "cannot get them: HTTP status 401");
  const fixtures::temporary_directory folder;
  std::map<std::string, std::string> role{
      {"AWS_WEB_IDENTITY_TOKEN_FILE", folder.file("token", "a.web.token")},
      {"AWS_ROLE_ARN", "arn:aws:iam::1:role/games"},
      {"AWS_ENDPOINT_URL_STS", lender.url()}};
  const auto refused = why_not(fetched(web_identity_lender(environment_of(role))));
  for (const std::string part :
       {"AWS STS at http://127.0.0.1:", "the role arn:aws:iam::1:role/games",
        "HTTP status 403, AccessDenied: Not authorized", "trust policy"})
    has(refused, part);
  CHECK(refused.find("a.web.token") == std::string::npos);
  // STS reports throttling with status 400, too.
  const fault_proxy busy{{}, [](const seen_request&) {
                           return action{kind::answer,
                                         canned(400, "<ErrorResponse><Error><Code>Throttling</Code>"
                                                     "<Message>Rate exceeded</Message></Error>"
                                                     "</ErrorResponse>")};
                         }};
  role["AWS_ENDPOINT_URL_STS"] = busy.url();
  const auto later = fetched(web_identity_lender(environment_of(role)));
  has(why_not(later), "HTTP status 400, Throttling");
  CHECK(later.error().code == base::errc::store_failed);
  role["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/nowhere/token";
  has(why_not(fetched(web_identity_lender(environment_of(role)))),
      "/nowhere/token: cannot be read: No such file");
}

} // namespace
} // namespace matchcloud::store
