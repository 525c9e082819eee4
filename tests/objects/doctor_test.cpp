// `matchcloud doctor` on a store whose images and exports are in a bucket.
#include "tests/catch.hpp"
#include "tests/objects/bucket_world.hpp"
#include "tests/service/diagnosis.hpp"
#include "tests/store/s3/fault_proxy.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using store::canned;
using store::canned_error;
using store::fault_proxy;
using store::proxy_action;
using store::seen_request;

constexpr auto answers = proxy_action::kind::answer;

const environment keys{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=hush-hush",
                       "AWS_REGION=", "AWS_DEFAULT_REGION="};

/// What doctor says where that service has the bucket.
diagnosis on_service(const fault_proxy& at, const arguments& more = {}) {
  const fixtures::temporary_directory folder;
  return doctor(folder.path("data"),
                kernels_ports +
                    arguments{"--objects", "s3://bucket/games", "--objects-path-style",
                              "--objects-endpoint", at.url()} +
                    more,
                keys);
}

fault_proxy::plan refusing_with(int status, const std::string& code,
                                const std::string& headers = {}) {
  return [=](const seen_request&) {
    return proxy_action{answers, canned_error(status, code, headers)};
  };
}

/// An empty bucket, of which some requests are refused.
proxy_action empty_but(const seen_request& request, const std::string& refused) {
  if (request.target.find(refused) != std::string::npos)
    return {answers, canned_error(403, "AccessDenied")};
  if (request.target.find("list-type=2") != std::string::npos)
    return {answers,
            canned(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")};
  if (request.target.find("uploads") != std::string::npos)
    return {answers, canned(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>"
                                 "</ListMultipartUploadsResult>")};
  return {answers, canned_error(404, "NoSuchKey")};
}

/// An empty bucket, which answers writes and removals like this.
fault_proxy::plan empty_with(const std::string& write, const std::string& removal) {
  return [=](const seen_request& request) {
    if (request.method == "PUT") return proxy_action{answers, write};
    if (request.method == "DELETE") return proxy_action{answers, removal};
    return empty_but(request, "nothing");
  };
}

TEST_CASE("doctor looks at a bucket, and changes nothing in it") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto before = names_in(at.bucket);
  const auto got = doctor(at.in.data_dir(), kernels_ports);
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.has("bucket", "ok", "can be read and listed; writing was not tried"));
  CHECK(names_in(at.bucket) == before);
}

TEST_CASE("doctor tries to write to a bucket if it may, and leaves nothing there") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto before = names_in(at.bucket);
  const auto got = doctor(at.in.data_dir(), kernels_ports + arguments{"--write"});
  INFO(got.shown());
  CHECK(got.exit_code() == 0);
  CHECK(got.has("bucket", "ok", "can be read, listed and written"));
  CHECK(names_in(at.bucket) == before);
}

TEST_CASE("doctor says what fails when it tries to write, and not that serve waits for it") {
  const auto stored = canned(200, {}, "ETag: \"x\"\r\n");
  const auto denied = canned_error(403, "AccessDenied");
  const auto check = [](const fault_proxy& at, const std::string& part) {
    const auto got = on_service(at, {"--write"});
    INFO(got.shown());
    CHECK(got.exit_code() == 1);
    CHECK(got.has("bucket", "error", part));
    CHECK_FALSE(got.has("bucket", "error", "keep trying"));
  };
  {
    const fault_proxy at{{}, empty_with(denied, canned(204))};
    check(at, "cannot store the object: HTTP status 403");
    CHECK(at.count("DELETE") == 0);
  }
  {
    const fault_proxy at{{}, empty_with(stored, canned(204))};
    check(at, "was written twice. Use a service with conditional writes");
    CHECK(at.count("PUT", "/doctor/") == 2);
    CHECK(at.count("DELETE", "/doctor/") == 1);
  }
  const fault_proxy at{{}, empty_with(stored, denied)};
  check(at, "Remove s3://bucket/games/doctor/");
}

TEST_CASE("doctor says what is wrong with a bucket, and asks by reading alone") {
  {
    const fault_proxy at{
        {}, refusing_with(301, "PermanentRedirect", "x-amz-bucket-region: eu-west-3\r\n")};
    const auto got = on_service(at);
    INFO(got.shown());
    CHECK(got.exit_code() == 1);
    CHECK(got.has("bucket", "error", "(the bucket is in eu-west-3)"));
  }
  {
    const fault_proxy at{{}, refusing_with(403, "InvalidAccessKeyId")};
    CHECK(on_service(at).has("bucket", "error", "use credentials that this service knows"));
  }
  const fault_proxy at{{},
                       [](const seen_request& request) { return empty_but(request, "uploads"); }};
  const auto got = on_service(at);
  INFO(got.shown());
  CHECK(got.has("bucket", "error", "cannot list unfinished uploads: HTTP status 403"));
  CHECK(std::ranges::all_of(at.seen(), [](const seen_request& each) {
    return each.method == "HEAD" || each.method == "GET";
  }));
}

TEST_CASE("doctor does not wait long for a bucket that does not answer") {
  const fault_proxy at{{},
                       [](const seen_request&) { return proxy_action{proxy_action::kind::hang}; }};
  const deadline soon{milliseconds{15'000}};
  const auto got = on_service(at);
  CHECK_FALSE(soon.passed());
  INFO(got.shown());
  CHECK(got.has("bucket", "error", "s3://bucket/"));
  CHECK(got.has("store", "ok"));
}

} // namespace
