// Starting with a bucket that is set up wrongly, as Amazon's service says it: the answer to a HEAD
// has no body. And with credentials that a container's or a pod's role is lent. What each cause is
// told to do is in tests/store/s3.
#include "store/s3/s3_request.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/service/server.hpp"
#include "tests/store/s3/fault_proxy.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
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

/// A bucket that is there and has nothing.
proxy_action empty_bucket(const seen_request& request) {
  if (contains(request.target, "list-type=2"))
    return {answered, canned(200, "<ListBucketResult><IsTruncated>false</IsTruncated>"
                                  "</ListBucketResult>")};
  if (request.target == "/bucket") return {answered, canned(200)};
  return refusing(404, error_body("NoSuchKey"))(request);
}

/// What a process without credentials of its own is told.
environment without_keys(const world& in, const environment& more) {
  environment told{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_REGION=eu-west-1",
                   "HOME=" + in.directory().path()};
  told.insert(told.end(), more.begin(), more.end());
  return told;
}

TEST_CASE("a server and commands end at once with what is wrong with the bucket") {
  check_refused(refusing(400, error_body("AuthorizationHeaderMalformed")),
                {"HTTP status 400, AuthorizationHeaderMalformed: why it is so; set objects-region "
                 "(or AWS_REGION)"});
}

TEST_CASE("credentials that are wrong or missing are told, and not shown") {
  check_refused(refusing(403, error_body("InvalidAccessKeyId")),
                {"InvalidAccessKeyId", "use credentials that this service knows"});
  const world in;
  const fault_proxy at{{}, empty_bucket};
  const auto none = run_on(at, in, commands.front(), without_keys(in, {}));
  CHECK(none.exit_code != 0);
  CHECK(contains(none.errors, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
}

TEST_CASE("a service of objects that is out of reach is waited for, or named at once") {
  const world in;
  arguments words = commands.front();
  words.insert(words.end(), {"--data-dir", in.data_dir(), "--objects", "s3://bucket",
                             "--objects-path-style", "--objects-endpoint", "http://127.0.0.1:1"});
  child_process waits{words, given_keys};
  CHECK(waits.says("not ready: "));
  CHECK(waits.says("answers /healthz and /readyz"));
  CHECK_FALSE(contains(waits.errors(), "hush-hush"));
  waits.signal(SIGTERM);
  CHECK(waits.exit_code() == 0);

  words.insert(words.end(), {"--start-wait-ms", "0"});
  const auto refused = run(words, given_keys);
  CHECK(refused.exit_code != 0);
  CHECK(contains(refused.errors, "s3://bucket/"));
  CHECK(contains(refused.errors, " at 127.0.0.1:1: "));
  CHECK(contains(refused.errors, "; check the endpoint, and that the service is running"));
}

// -- regions --------------------------------------------------------------------

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
  CHECK(signed_for({"AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=eu-north-1"}) == "eu-west-1");
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

std::string lent_xml(const std::string& id, const std::string& until) {
  return R"(<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">)"
         "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>" +
         id + "</AccessKeyId><SecretAccessKey>hush-hush</SecretAccessKey><SessionToken>lent-" + id +
         "</SessionToken><Expiration>" + until +
         "</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
         "</AssumeRoleWithWebIdentityResponse>";
}

void check_signed_by(const fault_proxy& bucket, const std::string& id) {
  const auto seen = bucket.seen();
  REQUIRE_FALSE(seen.empty());
  CHECK(contains(seen.front().header("authorization"), "Credential=" + id + "/"));
  CHECK(seen.front().header("x-amz-security-token") == "lent-" + id);
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

} // namespace
