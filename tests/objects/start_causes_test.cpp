// Starting with a bucket that is set up wrongly, as Amazon's service says it: the answer to a HEAD
// has no body. And with credentials that a container's or a pod's role is lent.
#include "store/s3/s3_request.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/service/server.hpp"
#include "tests/store/s3/fault_proxy.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;
using matchcloud::fixtures::contains;
using store::canned;
using store::fault_proxy;
using store::proxy_action;
using store::seen_request;

constexpr auto answered = proxy_action::kind::answer;

std::string error_body(const std::string& code) {
  return R"(<?xml version="1.0" encoding="UTF-8"?><Error><Code>)" + code +
         "</Code><Message>why it is so</Message></Error>";
}

/// A service that refuses everything, with that status and these headers; a body but for HEAD.
fault_proxy::plan refusing(int status, const std::string& body, const std::string& headers = {}) {
  return [=](const seen_request& request) {
    return proxy_action{answered, canned(status, request.method == "HEAD" ? "" : body, headers)};
  };
}

const environment given_keys{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=hush-hush",
                             "AWS_REGION=", "AWS_DEFAULT_REGION="};

arguments flags_of(const fault_proxy& at) {
  return {"--objects", "s3://bucket/games", "--objects-path-style", "--objects-endpoint", at.url()};
}

command_result run_on(const fault_proxy& at, const world& in, arguments command,
                      const environment& told, const arguments& more = {}) {
  command.insert(command.end(), {"--data-dir", in.data_dir()});
  const auto flags = flags_of(at);
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), more.begin(), more.end());
  return run(command, told);
}

const std::vector<arguments> commands{
    {"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"},
    {"objects", "check"},
    {"demo"}};

/// Checks that a server and commands end at once, with one line that has all of `parts`.
void check_refused(const fault_proxy::plan& by, const arguments& parts) {
  const world in;
  for (const auto& command : commands) {
    fault_proxy at{{}, by};
    const auto done = run_on(at, in, command, given_keys);
    CAPTURE(command.front(), done.errors);
    CHECK(done.exit_code == 1);
    CHECK(std::count(done.errors.begin(), done.errors.end(), '\n') == 1);
    CHECK(contains(done.errors, "s3://bucket/"));
    for (const auto& part : parts)
      CHECK(contains(done.errors, part));
    CHECK_FALSE(contains(done.errors, "hush-hush"));
  }
}

TEST_CASE("a bucket in another region is told by the error's text") {
  check_refused(refusing(400, error_body("AuthorizationHeaderMalformed")),
                {"HTTP status 400, AuthorizationHeaderMalformed: why it is so; set objects-region "
                 "(or AWS_REGION)"});
}

TEST_CASE("a bucket in another region is told by a header") {
  check_refused(
      refusing(301, error_body("PermanentRedirect"), "x-amz-bucket-region: eu-west-3\r\n"),
      {"HTTP status 301, PermanentRedirect", "(the bucket is in eu-west-3)",
       "set objects-endpoint"});
}

TEST_CASE("credentials that are over, unknown or of another key are told") {
  check_refused(refusing(400, error_body("ExpiredToken")),
                {"HTTP status 400, ExpiredToken: why it is so", "get new credentials"});
  check_refused(refusing(400, error_body("InvalidToken")), {"InvalidToken", "get new credentials"});
  check_refused(refusing(403, error_body("InvalidAccessKeyId")),
                {"InvalidAccessKeyId", "use credentials that this service knows"});
  check_refused(refusing(403, error_body("SignatureDoesNotMatch")),
                {"SignatureDoesNotMatch", "use the secret key that belongs to the access key"});
}

TEST_CASE("a clock that is too wrong is told") {
  // Too far away to be made up for.
  check_refused(
      refusing(403, error_body("RequestTimeTooSkewed"), "Date: Fri, 24 May 2013 00:00:00 GMT\r\n"),
      {"RequestTimeTooSkewed", "set this machine's clock"});
}

TEST_CASE("rights that are missing are told") {
  check_refused(refusing(403, error_body("AccessDenied")),
                {"HTTP status 403, AccessDenied: why it is so; allow s3:GetObject, "});
}

TEST_CASE("a bucket that does not exist, and what is no service of S3, are told") {
  check_refused(refusing(404, error_body("NoSuchBucket")),
                {"NoSuchBucket: why it is so; create the bucket, or use another"});
  const std::string unexplained = "; it gives no reason: check objects-endpoint";
  check_refused(refusing(400, "<html>"), {"HTTP status 400" + unexplained});
  check_refused(refusing(301, "", "Location: https://objects.example/bucket/x\r\n"),
                {"HTTP status 301" + unexplained});
}

// -- regions --------------------------------------------------------------------

/// A bucket that is there and has nothing.
proxy_action empty_bucket(const seen_request& request) {
  if (contains(request.target, "list-type=2"))
    return {answered, canned(200, "<ListBucketResult><IsTruncated>false</IsTruncated>"
                                  "</ListBucketResult>")};
  if (request.target == "/bucket") return {answered, canned(200)};
  return refusing(404, error_body("NoSuchKey"))(request);
}

/// What the requests of `objects check` were signed for.
std::string signed_for(const environment& told, const arguments& more = {}) {
  const world in;
  fault_proxy at{{}, empty_bucket};
  environment all{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=hush-hush"};
  all.insert(all.end(), told.begin(), told.end());
  (void)run_on(at, in, {"objects", "check"}, all, more);
  const auto seen = at.seen();
  REQUIRE_FALSE(seen.empty());
  const auto scope = seen.front().header("authorization");
  const auto end = scope.find("/s3/aws4_request");
  REQUIRE(end != std::string::npos);
  const auto begin = scope.rfind('/', end - 1) + 1;
  return scope.substr(begin, end - begin);
}

TEST_CASE("the region is the key's, or else AWS_REGION's, or else AWS_DEFAULT_REGION's") {
  CHECK(signed_for({"AWS_REGION=", "AWS_DEFAULT_REGION="}) == "us-east-1");
  CHECK(signed_for({"AWS_REGION=", "AWS_DEFAULT_REGION=eu-north-1"}) == "eu-north-1");
  CHECK(signed_for({"AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=eu-north-1"}) == "eu-west-1");
  CHECK(signed_for({"AWS_REGION=eu-west-1", "MATCHCLOUD_OBJECTS_REGION=eu-south-1"}) ==
        "eu-south-1");
  CHECK(signed_for({"AWS_REGION=eu-west-1"}, {"--objects-region", "sa-east-1"}) == "sa-east-1");
  // The same for a server, whose keys are read in another way.
  const world in;
  fault_proxy at{{}, refusing(403, error_body("AccessDenied"))};
  CHECK(run_on(at, in, commands.front(),
               {"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=hush-hush", "AWS_REGION=eu-west-1",
                "MATCHCLOUD_OBJECTS_REGION="})
            .exit_code == 1);
  CHECK(contains(at.seen().front().header("authorization"), "/eu-west-1/s3/"));
}

// -- roles ----------------------------------------------------------------------

/// A time in `after` from now as AWS writes it.
std::string time_in(std::chrono::seconds after) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
      (std::chrono::system_clock::now() + after).time_since_epoch());
  auto time = store::s3_time(ms.count()); // 20130524T000000Z
  for (const auto at : {13, 11})
    time.insert(static_cast<std::size_t>(at), ":");
  for (const auto at : {6, 4})
    time.insert(static_cast<std::size_t>(at), "-");
  return time;
}

std::string lent_json(const std::string& id, const std::string& until) {
  return R"({"AccessKeyId":")" + id + R"(","SecretAccessKey":"hush-hush","Token":"lent-)" + id +
         R"(","Expiration":")" + until + R"(","RoleArn":"arn:aws:iam::1:role/x"})";
}

std::string lent_xml(const std::string& id, const std::string& until) {
  return R"(<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">)"
         "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>" +
         id + "</AccessKeyId><SecretAccessKey>hush-hush</SecretAccessKey><SessionToken>lent-" + id +
         "</SessionToken><Expiration>" + until +
         "</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
         "</AssumeRoleWithWebIdentityResponse>";
}

/// What a process without credentials of its own is told.
environment without_keys(const world& in, const environment& more) {
  environment told{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_REGION=eu-west-1",
                   "HOME=" + in.directory().path()};
  told.insert(told.end(), more.begin(), more.end());
  return told;
}

void check_signed_by(const fault_proxy& bucket, const std::string& id) {
  const auto seen = bucket.seen();
  REQUIRE_FALSE(seen.empty());
  CHECK(contains(seen.front().header("authorization"), "Credential=" + id + "/"));
  CHECK(seen.front().header("x-amz-security-token") == "lent-" + id);
}

TEST_CASE("the credentials of a container's role are used, as ECS and EKS lend them") {
  const world in;
  fault_proxy bucket{{}, empty_bucket};
  fault_proxy agent{{}, [](const seen_request& request) {
                      if (request.target != "/v1/credentials?id=1")
                        return proxy_action{answered, canned(404)};
                      if (request.header("authorization") != "pod-token")
                        return proxy_action{answered, canned(401)};
                      return proxy_action{
                          answered,
                          canned(200, lent_json("ASIACONTAINER", time_in(std::chrono::hours{1})))};
                    }};
  const auto token = in.directory().file("token", "pod-token\n");
  const auto uri = "AWS_CONTAINER_CREDENTIALS_FULL_URI=" + agent.url() + "/v1/credentials?id=1";
  const auto done =
      run_on(bucket, in, {"objects", "check"},
             without_keys(in, {uri, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=" + token}));
  CAPTURE(done.errors);
  CHECK(done.exit_code != 2);
  check_signed_by(bucket, "ASIACONTAINER");
  CHECK(agent.seen().size() == 1);
  // Without the token, and in the clear to somebody else.
  const auto refused = run_on(bucket, in, {"objects", "check"}, without_keys(in, {uri}));
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "cannot get them: HTTP status 401"));
  const auto strange =
      run_on(bucket, in, {"objects", "check"},
             without_keys(in, {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://192.0.2.1/x"}));
  CHECK(strange.exit_code == 2);
  CHECK(contains(strange.errors, "AWS_CONTAINER_CREDENTIALS_FULL_URI, http://192.0.2.1/x, uses "
                                 "plain http beyond this machine"));
}

TEST_CASE("the role of a pod's service account is assumed, and its credentials are renewed") {
  const world in;
  fault_proxy bucket{{}, empty_bucket};
  // The first ones are to be renewed as soon as others may be asked for.
  fault_proxy sts{{}, [](const seen_request& request) {
                    const auto id =
                        "ASIAPOD" + std::to_string(std::min<std::size_t>(request.number, 1));
                    const auto until =
                        request.number == 0 ? std::chrono::minutes{4} : std::chrono::hours{1};
                    return proxy_action{answered, canned(200, lent_xml(id, time_in(until)))};
                  }};
  const auto token = in.directory().file("token", "a.web.token");
  const auto told = without_keys(
      in, {"AWS_WEB_IDENTITY_TOKEN_FILE=" + token, "AWS_ROLE_ARN=arn:aws:iam::1:role/games",
           "AWS_ENDPOINT_URL_STS=" + sts.url() + "/sts", "MATCHCLOUD_OBJECTS=s3://bucket/games",
           "MATCHCLOUD_OBJECTS_PATH_STYLE=true", "MATCHCLOUD_OBJECTS_ENDPOINT=" + bucket.url()});
  const server of{{"--objects-delivery", "through"}, in, told};
  check_signed_by(bucket, "ASIAPOD0");
  CHECK(sts.seen().front().is("POST", "/sts"));
  // The image of an avatar of the demo's, which the bucket does not have.
  const std::string missing = "/media/avatars/00000000-0000-4000-8000-000000000104/"
                              "cdfa358e19689248cc4b27590f27f5d0.png";
  CHECK(eventually([&] {
    (void)raw_connection{of.data()}.ask(request("GET", missing));
    return sts.seen().size() >= 2 &&
           bucket.seen().back().header("x-amz-security-token") == "lent-ASIAPOD1";
  }));
  CHECK_FALSE(contains(of.process().errors(), "hush-hush"));
  CHECK_FALSE(contains(of.process().errors(), "a.web.token"));
}

TEST_CASE("a service that lends credentials and is away at the start is waited for") {
  const world in;
  fault_proxy bucket{{}, empty_bucket};
  const auto busy = GENERATE(values<std::string>(
      {canned(503), canned(400, "<ErrorResponse><Error><Code>Throttling</Code><Message>Rate "
                                "exceeded</Message></Error></ErrorResponse>")}));
  fault_proxy sts{{}, [busy](const seen_request& request) {
                    if (request.number < 2) return proxy_action{answered, busy};
                    return proxy_action{
                        answered,
                        canned(200, lent_xml("ASIALATER", time_in(std::chrono::hours{1})))};
                  }};
  const auto told = without_keys(
      in, {"AWS_WEB_IDENTITY_TOKEN_FILE=" + in.directory().file("token", "a.web.token"),
           "AWS_ROLE_ARN=arn:aws:iam::1:role/games", "AWS_ENDPOINT_URL_STS=" + sts.url(),
           "MATCHCLOUD_OBJECTS=s3://bucket/games", "MATCHCLOUD_OBJECTS_PATH_STYLE=true",
           "MATCHCLOUD_OBJECTS_ENDPOINT=" + bucket.url()});
  const server of{{}, in, told};
  CHECK(of.process().says("not ready: "));
  CHECK(of.process().says(busy.find("Throttling") == busy.npos ? "HTTP status 503"
                                                               : "HTTP status 400, Throttling"));
  check_signed_by(bucket, "ASIALATER");
}

TEST_CASE("a role that cannot be assumed is told, with what STS says") {
  const world in;
  fault_proxy bucket{{}, empty_bucket};
  fault_proxy sts{{}, [](const seen_request&) {
                    return proxy_action{
                        answered,
                        canned(403, R"(<ErrorResponse xmlns="https://sts.amazonaws.com/doc/">)"
                                    "<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>"
                                    "Not authorized to perform sts:AssumeRoleWithWebIdentity"
                                    "</Message></Error><RequestId>1</RequestId></ErrorResponse>")};
                  }};
  const auto token = in.directory().file("token", "a.web.token");
  const environment role{"AWS_WEB_IDENTITY_TOKEN_FILE=" + token,
                         "AWS_ROLE_ARN=arn:aws:iam::1:role/games",
                         "AWS_ENDPOINT_URL_STS=" + sts.url()};
  const auto refused = run_on(bucket, in, {"objects", "check"}, without_keys(in, role));
  CAPTURE(refused.errors);
  CHECK(refused.exit_code == 2);
  for (const std::string part :
       {"AWS STS at http://127.0.0.1:", "the role arn:aws:iam::1:role/games",
        "HTTP status 403, AccessDenied: Not authorized", "trust policy"})
    CHECK(contains(refused.errors, part));
  CHECK_FALSE(contains(refused.errors, "a.web.token"));
  // Nothing else is tried silently.
  CHECK(bucket.seen().empty());
  const auto half = run_on(bucket, in, {"objects", "check"},
                           without_keys(in, {"AWS_WEB_IDENTITY_TOKEN_FILE=" + token}));
  CHECK(half.exit_code == 2);
  CHECK(contains(half.errors, "AWS_ROLE_ARN is not"));
  auto gone = role;
  gone.front() = "AWS_WEB_IDENTITY_TOKEN_FILE=/nowhere/token";
  CHECK(contains(run_on(bucket, in, {"objects", "check"}, without_keys(in, gone)).errors,
                 "/nowhere/token: cannot be read: No such file"));
}

} // namespace
