// Objects in S3 against answers that are made up.
#include "store/s3/s3_objects.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/objects/object_engines.hpp"
#include "tests/store/objects/s3_service.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/s3/s3_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <atomic>
#include <cstdlib>
#include <future>

namespace matchcloud::store {
namespace {

using fixtures::contains;
using action = proxy_action;
using kind = proxy_action::kind;

const std::string type = "text/plain";
const std::string stored_headers = "ETag: \"5eb63bbbe01eeed093cb22bb8f5acdc3\"\r\n"
                                   "Last-Modified: Fri, 24 May 2013 00:00:00 GMT\r\n";

/// A client of a service that answers as a plan says.
struct with_answers {
  explicit with_answers(fault_proxy::plan how, const std::function<void(s3_settings&)>& change = {},
                        const base::clock& time = base::machine_clock())
      : proxy{{}, std::move(how)} {
    auto settings = test_settings(proxy.url(), "games");
    if (change) change(settings);
    auto source = s3_credential_source::open(environment_of({{"AWS_ACCESS_KEY_ID", "AKID"},
                                                             {"AWS_SECRET_ACCESS_KEY", "hush-hush"},
                                                             {"AWS_SESSION_TOKEN", "lent"}}),
                                             time);
    settings.location.prefix.clear();
    client = std::make_unique<s3_objects>(settings, had(std::move(source)), time);
  }

  fault_proxy proxy;
  std::unique_ptr<s3_objects> client;
};

action say(std::string text) {
  return {kind::answer, std::move(text), 0};
}

/// The answers in order, the last one again and again.
fault_proxy::plan in_order(std::vector<std::string> answers) {
  return [answers = std::move(answers)](const seen_request& request) {
    return say(answers[std::min(request.number, answers.size() - 1)]);
  };
}

/// Uploads in parts to a service that has no objects, of which some requests get other answers.
fault_proxy::plan in_parts(std::function<std::string(const seen_request&)> other = {}) {
  return [other = std::move(other)](const seen_request& request) {
    if (auto text = other ? other(request) : std::string{}; !text.empty())
      return say(std::move(text));
    if (request.is("POST", "uploads="))
      return say(canned(200, "<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                             "</InitiateMultipartUploadResult>"));
    if (request.is("POST", "uploadId="))
      return say(canned(200, "<CompleteMultipartUploadResult><ETag>x</ETag>"
                             "</CompleteMultipartUploadResult>"));
    if (request.method == "HEAD") return say(canned(request.is("HEAD", "/games/") ? 404 : 200));
    if (request.method == "DELETE") return say(canned_error(404, "NoSuchUpload"));
    return say(canned(200, {}, "ETag: \"x\"\r\n"));
  };
}

bool take_all(const object_name&, const object_facts&) {
  return true;
}

template <class Value>
base::error why(const base::expected<Value>& got) {
  REQUIRE(!got.has_value());
  CHECK(got.error().detail.find("hush-hush") == std::string::npos);
  return got.error();
}

TEST_CASE("a call that fails for now is repeated until it succeeds") {
  for (const auto& first :
       {canned_error(500, "InternalError"), canned_error(503, "SlowDown"), canned(502, "<html>"),
        canned(504), canned(429), canned_error(400, "RequestTimeout"),
        canned_error(409, "ConditionalRequestConflict"), std::string{"HTTP/1.1 200"},
        std::string{}}) {
    CAPTURE(first);
    const with_answers on{in_order({first, first, canned(200)})};
    CHECK(had(on.client->put_new(named("a"), "hello world", type)) == object_outcome::stored);
    CHECK(on.proxy.count("PUT") == 3);
    const auto counts = counts_of(*on.client);
    CHECK(counts.repetitions == 2);
    CHECK(counts.succeeded == 1);
    CHECK(counts.failed == 0);
    if (first.starts_with("HTTP/1.1 50")) CHECK(counts.sent_bytes == 33);
  }
}

TEST_CASE("repetitions are bounded, and the error says what there was") {
  const with_answers on{in_order({canned_error(503, "SlowDown")})};
  const auto error = why(on.client->put_new(named("a"), "hello world", type));
  CHECK(error.code == base::errc::store_failed);
  CHECK(contains(error.detail, "s3://games/a at 127.0.0.1:"));
  CHECK(contains(error.detail,
                 ": cannot store the object: HTTP status 503, SlowDown: why, after 4 attempts"));
  CHECK(!contains(error.detail, "unknown"));
  CHECK(error.may_pass);
  CHECK(on.proxy.seen().size() == 4);
  CHECK(counts_of(*on.client).failed == 1);
  CHECK(counts_of(*on.client).repetitions == 3);
  CHECK(counts_of(*on.client).answered_ts == 0);
  const with_answers failing{in_order({canned_error(500, "InternalError")})};
  CHECK(contains(why(failing.client->put_new(named("a"), "x", type)).detail,
                 "; the outcome is unknown"));
}

TEST_CASE("a refusal is not repeated, and the error says what to do") {
  const auto body = [](const std::string& code) {
    return "<Error><Code>" + code + "</Code><Message>why</Message></Error>";
  };
  struct refusal {
    int status;
    std::string body;
    std::string headers;
    std::string told;
  };
  const std::string unexplained = "; it gives no reason: check objects-endpoint";
  for (const auto& each : std::vector<refusal>{
           {400, body("AuthorizationHeaderMalformed"), "",
            ", AuthorizationHeaderMalformed: why; set objects-region (or AWS_REGION)"},
           {301, body("PermanentRedirect"), "x-amz-bucket-region: eu-west-3\r\n",
            ", PermanentRedirect: why (the bucket is in eu-west-3); set objects-endpoint"},
           {400, body("ExpiredToken"), "", "; get new credentials"},
           {400, body("InvalidToken"), "", "; get new credentials"},
           {403, body("InvalidAccessKeyId"), "", "; use credentials that this service knows"},
           {403, body("SignatureDoesNotMatch"), "",
            "; use the secret key that belongs to the access key"},
           {403, body("AccessDenied"), "", "; allow s3:GetObject, s3:PutObject, "},
           {403, body("QuotaExceeded"), "", "; remove something, or raise the quota"},
           {404, body("NoSuchBucket"), "", "; create the bucket, or use another"},
           {403, body("RequestTimeTooSkewed"), "", "; set this machine's clock"},
           // Too far away to be made up for.
           {403, body("RequestTimeTooSkewed"), "Date: Fri, 24 May 2013 00:00:00 GMT\r\n",
            "; set this machine's clock"},
           {400, "<html>", "", unexplained},
           {404, "", "", unexplained},
           {301, "", "Location: https://objects.example/bucket/x\r\n", unexplained},
           {307, "", "Location: http://127.0.0.1:1/elsewhere\r\n", unexplained}}) {
    CAPTURE(each.status, each.body, each.headers);
    const with_answers on{in_order({canned(each.status, each.body, each.headers)})};
    const auto error = why(on.client->put_new(named("a"), "hello world", type));
    const bool is_full = contains(each.body, "QuotaExceeded");
    CHECK(error.code == (is_full ? base::errc::store_full : base::errc::store_failed));
    CHECK(contains(error.detail,
                   "cannot store the object: HTTP status " + std::to_string(each.status)));
    CHECK(contains(error.detail, each.told));
    CHECK_FALSE(error.may_pass);
    CHECK(on.proxy.seen().size() == 1);
    CHECK(counts_of(*on.client).failed == 1);
    CHECK(counts_of(*on.client).answered_ts > 0);
  }
}

TEST_CASE("without the bucket each call says that there is none") {
  const with_answers on{[](const seen_request& request) {
    return action{kind::answer,
                  request.method == "HEAD" ? canned(404) : canned_error(404, "NoSuchBucket")};
  }};
  const auto check = [](const auto& got) {
    const auto error = why(got);
    CHECK(error.code == base::errc::store_failed);
    CHECK(contains(error.detail, "; create the bucket, or use another"));
  };
  check(on.client->put_new(named("a"), "x", type));
  check(on.client->stat(named("a")));
  CHECK(counts_of(*on.client).failed == 2);
  check(on.client->put_new(named("a"), some_bytes(s3_least_part_bytes + 1), type));
  check(on.client->read(named("a"), {}, [](std::string_view) { return true; }));
  check(on.client->remove(named("a")));
  check(on.client->list({}, take_all));
  check(on.client->collect_leftovers(std::chrono::seconds{0}));
}

TEST_CASE("no proxy of the environment is used") {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  const with_answers on{in_order({canned(200)})};
  CHECK(had(on.client->put_new(named("a"), "x", type)) == object_outcome::stored);
  ::unsetenv("http_proxy");
}

TEST_CASE("the secret is not sent, and what is sent is signed with the digest of the body") {
  const with_answers on{in_order({canned(200)})};
  had(on.client->put_new(named("a-b/c"), "hello world", type));
  const auto sent = on.proxy.seen().at(0);
  CHECK(sent.target == "/games/a-b/c");
  CHECK(!contains(sent.head, "hush-hush"));
  CHECK(contains(sent.header("authorization"), "Credential=AKID/"));
  CHECK(contains(sent.header("authorization"),
                 "SignedHeaders=content-md5;content-type;host;if-none-match;x-amz-content-sha256;"
                 "x-amz-date;x-amz-meta-sha256;x-amz-meta-write;x-amz-security-token,"));
  CHECK(sent.header("x-amz-content-sha256") ==
        "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
  CHECK(sent.header("content-md5") == "XrY7u+Ae7tCTyyK7j1rNww==");
  CHECK(sent.header("if-none-match") == "*");
  CHECK(sent.header("content-length") == "11");
}

TEST_CASE("the service's time is taken over when it refuses this machine's") {
  const std::string theirs = "Date: Fri, 24 May 2013 00:00:00 GMT\r\n";
  moved_clock two_hours_ahead;
  two_hours_ahead.move(std::chrono::hours{2});
  const with_answers on{in_order({canned_error(403, "RequestTimeTooSkewed", theirs), canned(200)}),
                        {},
                        two_hours_ahead};
  had(on.client->put_new(named("a"), "x", type));
  CHECK(on.proxy.seen().at(0).header("x-amz-date") == "20130524T020000Z");
  CHECK(on.proxy.seen().at(1).header("x-amz-date") == "20130524T000000Z");
  had(on.client->put_new(named("b"), "x", type));
  CHECK(on.proxy.seen().at(2).header("x-amz-date") == "20130524T000000Z");
  CHECK(on.proxy.seen().size() == 3);
  // The answer to a HEAD has no reason.
  const with_answers to_head{in_order({canned(403, {}, theirs),
                                       canned(200, {}, stored_headers + "Content-Length: 1\r\n")}),
                             {},
                             two_hours_ahead};
  CHECK(had(to_head.client->stat(named("a"))).has_value());
  CHECK(to_head.proxy.seen().at(1).header("x-amz-date") == "20130524T000000Z");
}

TEST_CASE("a name that others have taken is told from one whose own answer was lost") {
  const auto lose_first = [](const std::string& write_of_head) {
    auto own = std::make_shared<std::string>();
    return [own, write_of_head](const seen_request& request) {
      if (request.method == "PUT" && request.number == 0) {
        *own = request.header("x-amz-meta-write");
        return say({});
      }
      if (request.method == "PUT") return say(canned_error(412, "Taken"));
      return say(canned(200, {},
                        stored_headers + "x-amz-meta-write: " +
                            (write_of_head.empty() ? *own : write_of_head) + "\r\n"));
    };
  };
  const with_answers own{lose_first({})};
  CHECK(had(own.client->put_new(named("a"), "x", type)) == object_outcome::stored);
  const with_answers other{lose_first("another")};
  CHECK(had(other.client->put_new(named("a"), "x", type)) == object_outcome::was_there);
  const with_answers plain{in_order({canned_error(412, "PreconditionFailed")})};
  CHECK(had(plain.client->put_new(named("a"), "x", type)) == object_outcome::was_there);
  CHECK(plain.proxy.seen().size() == 1);
}

TEST_CASE("what was stored wrongly is removed again") {
  const with_answers on{in_order({canned(200, {}, stored_headers), canned(204)})};
  CHECK(contains(why(on.client->put_new(named("a"), "hello there", type)).detail,
                 "stored different bytes"));
  CHECK(on.proxy.count("DELETE", "/games/a") == 1);
  const with_answers right{in_order({canned(200, {}, stored_headers)})};
  CHECK(had(right.client->put_new(named("a"), "hello world", type)) == object_outcome::stored);
  // Made with a key service's keys, the tag is of something else.
  const with_answers encrypted{
      in_order({canned(200, {}, stored_headers + "x-amz-server-side-encryption: aws:kms\r\n")})};
  CHECK(had(encrypted.client->put_new(named("a"), "hello there", type)) == object_outcome::stored);
}

TEST_CASE("a service that does not know If-None-Match is asked without, and looked at before") {
  const auto naming = [](int status, const std::string& code) {
    return canned(status, "<Error><Code>" + code +
                              "</Code><Message>A header you provided is not "
                              "implemented: If-None-Match</Message></Error>");
  };
  for (const auto& refusal :
       {canned(501), naming(400, "NotImplemented"), naming(400, "InvalidArgument")}) {
    CAPTURE(refusal);
    const with_answers on{[&](const seen_request& request) {
      if (request.is("HEAD", "/games/taken"))
        return say(canned(200, {}, stored_headers + "Content-Length: 1\r\n"));
      if (request.method == "HEAD") return say(canned(request.is("HEAD", "/games/") ? 404 : 200));
      return say(request.header("if-none-match").empty() ? canned(200) : refusal);
    }};
    CHECK(had(on.client->put_new(named("a"), "x", type)) == object_outcome::stored);
    CHECK(on.proxy.count("PUT") == 2);
    // Learned: no further request has the condition.
    CHECK(had(on.client->put_new(named("b"), "x", type)) == object_outcome::stored);
    CHECK(on.proxy.count("PUT") == 3);
    CHECK(had(on.client->put_new(named("taken"), "x", type)) == object_outcome::was_there);
    CHECK(on.proxy.count("PUT") == 3);
  }
}

TEST_CASE("a service that knows If-None-Match only for a PUT is asked with it there") {
  const with_answers on{in_parts([](const seen_request& request) {
    const bool is_refused =
        request.is("POST", "uploadId=") && !request.header("if-none-match").empty();
    return is_refused ? canned(501) : std::string{};
  })};
  const auto upload = had(on.client->begin_upload(named("a"), type));
  had(upload->append(std::string(s3_least_part_bytes + 1, 'x')));
  CHECK(had(upload->complete()) == object_outcome::stored);
  CHECK(on.proxy.count("POST", "uploadId=") == 2);
  CHECK(had(on.client->put_new(named("b"), "x", type)) == object_outcome::stored);
  CHECK(on.proxy.seen().back().header("if-none-match") == "*");
}

TEST_CASE("an upload whose parts do not arrive, or that cannot be completed, is given up") {
  struct end {
    std::string method;
    std::string target;
    std::string answer;
    std::string told;
  };
  const auto slow_down = canned_error(503, "SlowDown");
  for (const auto& each : std::vector<end>{
           {"PUT", "partNumber=2", slow_down, "SlowDown: why, after 4 attempts"},
           {"PUT", "partNumber=1", canned(200, {}, "ETag: \"" + std::string(32, 'a') + "\"\r\n"),
            "stored a different part than it was sent"},
           {"POST", "uploadId=", slow_down, "SlowDown"},
           {"POST", "uploadId=", canned(200, "<Error><Code>InternalError</Code></Error>"), ""},
           {"POST", "uploadId=", canned(200, "half a"), ""},
           {"POST", "uploadId=", canned_error(400, "InvalidPart"), "InvalidPart"}}) {
    CAPTURE(each.target, each.answer);
    const with_answers on{in_parts([&](const seen_request& request) {
      return request.is(each.method, each.target) ? each.answer : std::string{};
    })};
    auto upload = had(on.client->begin_upload(named("a"), type));
    const auto done = upload->append(std::string(3 * s3_least_part_bytes, 'x')).and_then([&] {
      return upload->complete();
    });
    const auto error = why(done);
    CHECK(error.code == base::errc::store_failed);
    CHECK(contains(error.detail, each.told));
    upload.reset();
    CHECK(on.proxy.count("DELETE", "uploadId=u") > 0);
  }
}

TEST_CASE("a refusal for another reason does not make the client do without If-None-Match") {
  for (const auto& refusal :
       {canned_error(400, "InvalidArgument"), canned_error(403, "AccessDenied")}) {
    const with_answers on{in_order({refusal})};
    (void)why(on.client->put_new(named("a"), "x", type));
    CHECK(on.proxy.count("PUT") == 1);
    (void)why(on.client->put_new(named("a"), "x", type));
    CHECK(on.proxy.seen().back().header("if-none-match") == "*");
  }
  // The object without the condition is refused, too: the service may know it all the same.
  const with_answers refusing{[](const seen_request& request) {
    if (request.method == "HEAD") return say(canned(request.is("HEAD", "/games/") ? 404 : 200));
    return say(canned(501));
  }};
  (void)why(refusing.client->put_new(named("a"), "x", type));
  (void)why(refusing.client->put_new(named("a"), "x", type));
  CHECK(refusing.proxy.count("PUT") == 4);
}

base::expected<std::optional<object_facts>> read_to(std::string& to,
                                                    const std::unique_ptr<s3_objects>& of) {
  return of->read(named("a"), {}, [&to](std::string_view piece) {
    to += piece;
    return true;
  });
}

TEST_CASE("what is read is compared with the digest that was recorded") {
  std::string content;
  const with_answers by_tag{in_order({canned(200, "hello world", stored_headers)})};
  had(read_to(content, by_tag.client));
  CHECK(content == "hello world");
  const with_answers changed{in_order({canned(200, "hello_world", stored_headers)})};
  CHECK(contains(why(read_to(content, changed.client)).detail, "their digest does not match"));
  const with_answers by_sha256{
      in_order({canned(200, "hello world",
                       stored_headers + "x-amz-meta-sha256: " + std::string(64, 'a') + "\r\n")})};
  CHECK(contains(why(read_to(content, by_sha256.client)).detail, "their digest does not match"));
}

TEST_CASE("an answer that lacks what must be known is refused") {
  std::string content;
  for (const auto* const lacking :
       {"", "ETag: \"a\"\r\n", "Last-Modified: Fri, 24 May 2013 00:00:00 GMT\r\n"}) {
    const with_answers on{in_order({canned(200, "x", lacking)})};
    CHECK(contains(why(read_to(content, on.client)).detail, "the answer"));
    CHECK(contains(why(on.client->stat(named("a"))).detail, "the answer"));
  }
  const with_answers other{
      in_order({canned(206, "x", stored_headers + "Content-Range: bytes 5-5/11\r\n")})};
  CHECK(contains(why(read_to(content, other.client)).detail, "other bytes than were requested"));
}

TEST_CASE("a connection that is lost while an object is read is made again for what is missing") {
  const with_answers on{[](const seen_request& request) {
    const std::string whole = "hello world";
    const auto head = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n" + stored_headers + "\r\n";
    if (request.number == 0) return say(head + "hel");
    if (request.header("range") == "bytes=3-")
      return action{
          kind::answer,
          canned(206, whole.substr(3), stored_headers + "Content-Range: bytes 3-10/11\r\n"), 0};
    return say(canned(400));
  }};
  std::string content;
  had(read_to(content, on.client));
  CHECK(content == "hello world");
  CHECK(on.proxy.seen().at(1).header("if-match") == "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"");
}

TEST_CASE("an answer without end is not read to its end") {
  const with_answers body{in_order({canned(200, std::string(s3_body_limit_bytes + 1, ' '))})};
  CHECK(contains(why(body.client->list({}, take_all)).detail, "the answer is too long"));
  std::string headers;
  for (std::size_t i = 0; i <= s3_header_count_limit; ++i)
    headers += "x-" + std::to_string(i) + ": y\r\n";
  const with_answers head{in_order({canned(200, {}, headers)})};
  CHECK(
      contains(why(head.client->put_new(named("a"), "x", type)).detail, "the answer is too long"));
}

TEST_CASE("a listing that repeats itself ends") {
  const with_answers on{in_order(
      {canned(200, "<ListBucketResult><IsTruncated>true</IsTruncated>"
                   "<NextContinuationToken>a</NextContinuationToken></ListBucketResult>")})};
  CHECK(contains(why(on.client->list({}, take_all)).detail, "the page before once more"));
  CHECK(on.proxy.seen().size() == 2);
}

TEST_CASE("a service that does not answer is left at the deadline") {
  const with_answers on{
      [](const seen_request&) {
        return action{kind::hang, {}, 0};
      },
      [](s3_settings& settings) { settings.call_timeout = std::chrono::milliseconds{100}; }};
  const auto begun = base::machine_clock().now();
  const auto error = why(on.client->put_new(named("a"), "x", type));
  CHECK(error.code == base::errc::store_failed);
  CHECK(contains(error.detail, "the outcome is unknown"));
  CHECK(base::machine_clock().now() - begun < e2e::patience / 4);
}

TEST_CASE("stopping ends a call that waits for an answer, and one more is refused") {
  const with_answers on{[](const seen_request&) {
                          return action{kind::hang, {}, 0};
                        },
                        [](s3_settings& settings) { settings.calls_limit = 1; }};
  auto waits =
      std::async(std::launch::async, [&] { return on.client->put_new(named("a"), "x", type); });
  REQUIRE(on.proxy.wait_for(1));
  CHECK(why(on.client->put_new(named("b"), "x", type)).code == base::errc::overloaded);
  auto counts = counts_of(*on.client);
  CHECK(counts.in_progress == 1);
  CHECK(counts.in_progress_limit == 1);
  CHECK(counts.overloaded == 1);
  const auto begun = base::machine_clock().now();
  on.client->stop();
  CHECK(why(waits.get()).code == base::errc::cancelled);
  CHECK(base::machine_clock().now() - begun < e2e::patience / 4);
  CHECK(why(on.client->put_new(named("b"), "x", type)).code == base::errc::cancelled);
  counts = counts_of(*on.client);
  CHECK(counts.in_progress == 0);
  CHECK(counts.succeeded == 0);
  CHECK(counts.failed == 0);
  CHECK(counts.sent_bytes == 1);
}

TEST_CASE("an upload sends no more parts at once than it may, and is given up after a stop, too") {
  const with_answers on{
      [usual = in_parts()](const seen_request& request) {
        return request.method == "PUT" ? action{kind::hang, {}, 0} : usual(request);
      },
      [](s3_settings& settings) { settings.parts_in_flight_limit = 2; }};
  auto waits = std::async(std::launch::async, [&] {
    const auto upload = had(on.client->begin_upload(named("a"), type));
    return upload->append(std::string(5 * s3_least_part_bytes, 'x'));
  });
  REQUIRE(on.proxy.wait_for(3));
  on.client->stop();
  CHECK(why(waits.get()).code == base::errc::cancelled);
  CHECK(on.proxy.count("PUT", "partNumber=") == 2);
  CHECK(on.proxy.count("DELETE", "uploadId=u") == 1);
  CHECK(on.proxy.seen().size() == 4);
}

TEST_CASE("an upload goes on after its caller has paused for longer than a call may take") {
  class later_clock final : public base::clock {
  public:
    base::steady_time now() const noexcept override {
      return base::machine_clock().now() + by.load();
    }
    std::int64_t unix_ms() const noexcept override { return base::machine_clock().unix_ms(); }
    std::atomic<std::chrono::seconds> by{std::chrono::seconds{0}};
  } time;
  const with_answers on{in_parts([](const seen_request& request) {
                          // The first part, before the caller pauses.
                          return request.number == 1 ? canned_error(500, "InternalError")
                                                     : std::string{};
                        }),
                        {},
                        time};
  const auto upload = had(on.client->begin_upload(named("a"), type));
  had(upload->append(std::string(s3_least_part_bytes + 1, 'x')));
  while (on.proxy.seen().size() < 2)
    had(upload->append("x"));
  time.by = std::chrono::minutes{5};
  CHECK(had(upload->complete()) == object_outcome::stored);
  CHECK(on.proxy.count("PUT", "partNumber=1") == 2);
  CHECK(on.proxy.seen().at(1).header("content-md5") == "Twju9AlnJr/xEl4bG3NGRA==");
  CHECK(on.proxy.count("PUT", "partNumber=2") == 1);
}

TEST_CASE("calls are counted by what they came to, and with the bytes of their bodies") {
  const moved_clock time;
  const with_answers on{[](const seen_request& request) {
                          if (request.is("GET", "/a"))
                            return say(canned(200, "hello", stored_headers));
                          if (request.is("PUT", "/taken")) return say(canned_error(412, "Taken"));
                          if (request.is("HEAD", "/missing")) return say(canned(404));
                          return say(canned(200));
                        },
                        {},
                        time};
  object_counts expected;
  expected.in_progress_limit = s3_settings{}.calls_limit;
  CHECK(counts_of(*on.client) == expected);
  had(on.client->put_new(named("b"), "hello world", type));
  expected.succeeded = 1;
  expected.sent_bytes = 11;
  expected.answered_ts = time.unix_ms();
  CHECK(counts_of(*on.client) == expected);
  (void)on.client->read(named("a"), {}, [](std::string_view) { return true; });
  expected.succeeded = 2;
  expected.received_bytes = 5;
  CHECK(counts_of(*on.client) == expected);
  // Of the object, and of the bucket that it may be in.
  CHECK(!had(on.client->stat(named("missing"))));
  expected.succeeded = 4;
  CHECK(counts_of(*on.client) == expected);
  CHECK(had(on.client->put_new(named("taken"), "x", type)) == object_outcome::was_there);
  expected.succeeded = 5;
  expected.sent_bytes += 1;
  expected.received_bytes +=
      std::string_view{"<Error><Code>Taken</Code><Message>why</Message></Error>"}.size();
  CHECK(counts_of(*on.client) == expected);
}

TEST_CASE("where nobody listens, the error says so") {
  const auto settings = test_settings("http://127.0.0.1:1", "games");
  s3_objects client{settings, test_credentials(), base::machine_clock()};
  const auto error = why(client.put_new(named("a"), "x", type));
  CHECK(error.code == base::errc::store_failed);
  CHECK(contains(error.detail, "Connection refused"));
  CHECK(!contains(error.detail, "unknown"));
  CHECK(counts_of(client).failed == 1);
  CHECK(counts_of(client).answered_ts == 0);
}

TEST_CASE("credentials that were replaced are used once the service refuses those before") {
  const fixtures::temporary_directory folder;
  const auto write = [&](const std::string& id) {
    return folder.file("credentials", "[default]\naws_access_key_id=" + id +
                                          "\naws_secret_access_key=hush-hush\n");
  };
  const auto path = write("FIRST");
  const fault_proxy proxy{{}, [](const seen_request& request) {
                            const bool is_new = contains(request.head, "SECOND");
                            return action{
                                kind::answer,
                                is_new ? canned(200) : canned_error(403, "InvalidAccessKeyId"), 0};
                          }};
  auto source = had(s3_credential_source::open(
      environment_of({{"AWS_SHARED_CREDENTIALS_FILE", path}}), base::machine_clock()));
  s3_objects client{test_settings(proxy.url(), "games"), std::move(source), base::machine_clock()};
  CHECK(contains(why(client.put_new(named("a"), "x", type)).detail,
                 "use credentials that this service knows"));
  CHECK(proxy.seen().size() == 1);
  write("SECOND");
  CHECK(had(client.put_new(named("a"), "x", type)) == object_outcome::stored);
  CHECK(proxy.seen().size() == 3);
}

TEST_CASE("the time before a repetition doubles up to its limit") {
  const auto bound = [](std::size_t repetition) {
    return backoff_bound(repetition, std::chrono::milliseconds{100}, std::chrono::seconds{10})
        .count();
  };
  CHECK(bound(1) == 100);
  CHECK(bound(4) == 800);
  CHECK(bound(8) == 10'000);
  CHECK(bound(99) == 10'000);
}

} // namespace
} // namespace matchcloud::store
