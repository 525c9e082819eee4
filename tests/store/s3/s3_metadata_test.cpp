#include "base/failure.hpp"
#include "store/s3/s3_lenders.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/store/s3/environment_of.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/s3/moved_clock.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <mutex>

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

  /// While it runs.
  void replace(action metadata_service::*which, action by) {
    const std::lock_guard lock{mutex};
    this->*which = std::move(by);
  }

  action answer(const seen_request& request) {
    const std::lock_guard lock{mutex};
    if (request.is("PUT", "/latest/api/token")) return token;
    if (request.header("x-aws-ec2-metadata-token") != "the-token")
      return {kind::answer, canned(401), 0};
    if (request.target == roles) return role;
    return request.target == roles + "game-role" ? credentials
                                                 : action{kind::answer, canned(404), 0};
  }

  base::expected<std::unique_ptr<s3_credential_source>> open(const base::clock& time) const {
    return s3_credential_source::open(
        [this](const char* name) -> std::optional<std::string> {
          const std::string_view wanted{name};
          if (wanted == "AWS_EC2_METADATA_SERVICE_ENDPOINT") return at.url;
          // The instance's are asked for, whatever else there is.
          if (wanted == "AWS_ACCESS_KEY_ID") return "OTHER";
          return std::nullopt;
        },
        time, credential_origin::metadata);
  }

  action token{kind::answer, canned(200, "the-token"), 0};
  action role{kind::answer, canned(200, "game-role"), 0};
  action credentials{kind::answer, canned(200, role_answer()), 0};
  std::mutex mutex;
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

TEST_CASE("no proxy of the environment is between here and the metadata service") {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  const metadata_service on;
  had(fetched(on.at));
  ::unsetenv("http_proxy");
}

TEST_CASE("what is no token and no role's name is not sent back") {
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
  const metadata_service most_allowed{[&](metadata_service& of) {
    of.credentials = {kind::answer, canned(200, role_answer() + most), 0};
  }};
  had(fetched(most_allowed.at));
  const action longer{kind::answer, canned(200, role_answer() + most + " "), 0};
  const std::vector<std::function<void(metadata_service&)>> changes{
      [&](metadata_service& of) { of.token = longer; },
      [&](metadata_service& of) { of.role = longer; },
      [&](metadata_service& of) { of.credentials = longer; },
      [&](metadata_service& of) {
        of.role = {kind::answer, canned(404, longer.text), 0};
      }};
  for (const auto& change : changes) {
    const metadata_service on{change};
    has(why_not(fetched(on.at)), "the answer has more than 65536 bytes");
  }
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

TEST_CASE("an instance's credentials are renewed before they expire, and when they are refused") {
  moved_clock time;
  metadata_service on;
  const auto source = had(on.open(time));
  on.replace(&metadata_service::credentials,
             {kind::answer, canned(200, role_answer("SECOND", "2013-05-24T02:00:00Z")), 0});
  time.move(std::chrono::minutes{54});
  CHECK(source->current()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  time.move(std::chrono::minutes{1});
  CHECK(source->current()->access_key_id == "SECOND");
  on.replace(&metadata_service::credentials,
             {kind::answer, canned(200, role_answer("THIRD", "2013-05-24T03:00:00Z")), 0});
  CHECK_FALSE(source->renew());
  time.move(loan_ask_interval);
  CHECK(source->renew());
  CHECK(source->current()->access_key_id == "THIRD");
  CHECK(on.proxy->seen().size() == 9);
}

TEST_CASE("an instance's credentials stay in use while its metadata service is gone") {
  moved_clock time;
  metadata_service on;
  const auto source = had(on.open(time));
  on.replace(&metadata_service::credentials, {kind::answer, canned(200, "half an ans"), 0});
  time.move(std::chrono::minutes{56});
  CHECK(source->current()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  on.proxy.reset();
  time.move(loan_ask_interval);
  CHECK(source->current()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  CHECK_FALSE(source->renew());
}

TEST_CASE("threads that have credentials do not wait for a slow metadata service") {
  moved_clock time;
  metadata_service on;
  const auto source = had(on.open(time));
  on.replace(&metadata_service::token, {kind::hang, {}, 0});
  time.move(std::chrono::minutes{56});
  auto renewing = std::async(std::launch::async, [&] { return source->current(); });
  REQUIRE(on.proxy->wait_for(4));
  CHECK(source->current()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
  CHECK(renewing.wait_for(std::chrono::seconds{0}) == std::future_status::timeout);
  on.proxy.reset();
  CHECK(renewing.get()->access_key_id == "ASIAIOSFODNN7EXAMPLE");
}

} // namespace
} // namespace matchcloud::store
