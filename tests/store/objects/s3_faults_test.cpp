// S3 that breaks: a service of objects, and a proxy before it. Only where there is a service.
#include "base/clock.hpp"
#include "store/s3/s3_request.hpp"
#include "tests/store/objects/object_engines.hpp"
#include "tests/store/objects/s3_service.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/store_fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace matchcloud::store {
namespace {

using action = proxy_action;
using kind = proxy_action::kind;
using std::chrono::seconds;

const std::string csv_type = "text/csv";

/// A bucket, and objects in it that are asked for through a proxy.
struct broken_service {
  explicit broken_service(fault_proxy::plan how)
      : proxy{std::getenv("MATCHCLOUD_TEST_S3"), std::move(how)},
        through{bucket.open(proxy.url())} {}

  /// Stores an object of three parts and a bit.
  base::expected<object_outcome> upload(const std::string& bytes) const {
    const auto begun = had(through->begin_upload(named("a"), csv_type));
    if (auto appended = begun->append(bytes); !appended) return tl::unexpected(appended.error());
    return begun->complete();
  }
  std::string long_bytes() const { return some_bytes(3 * bucket.settings.part_bytes + 7); }
  /// Whether there is nothing in the bucket, finished or not.
  bool is_empty() const { return listed(*direct).empty() && bucket.unfinished() == 0; }

  s3_bucket bucket;
  fault_proxy proxy;
  std::unique_ptr<s3_objects> through;
  std::unique_ptr<s3_objects> direct = bucket.open();
};

bool is_part(const seen_request& request) {
  return request.is("PUT", "partNumber=");
}

/// Does `what` to the first request of each kind (method, and what it is about).
fault_proxy::plan once_each(action what) {
  auto known = std::make_shared<std::vector<std::string>>();
  return [known, what](const seen_request& request) {
    auto about = request.method + request.target.substr(0, request.target.find("&"));
    if (std::ranges::find(*known, about) != known->end()) return action{};
    known->push_back(std::move(about));
    return what;
  };
}

base::error why(const base::expected<object_outcome>& got) {
  REQUIRE(!got.has_value());
  return got.error();
}

bool has(const std::string& text, std::string_view what) {
  INFO(text);
  CHECK(text.find(what) != std::string::npos);
  return text.find(what) != std::string::npos;
}

TEST_CASE("an upload gets over what passes, whole", "[objects]") {
  if (!has_s3_service()) return;
  for (const auto& fault :
       {action{kind::answer, canned_error(500, "InternalError")},
        action{kind::answer, canned_error(503, "SlowDown")}, action{kind::cut_request, {}, 1'000},
        action{kind::change_request, {}, 3}, action{kind::cut_answer, {}, 0}}) {
    CAPTURE(static_cast<int>(fault.what), fault.text);
    const broken_service on{once_each(fault)};
    const auto bytes = on.long_bytes();
    CHECK(had(on.upload(bytes)) == object_outcome::stored);
    CHECK(content_of(*on.direct, "a") == bytes);
    CHECK(content_of(*on.through, "a") == bytes);
    CHECK(had(on.through->put_new(named("b"), "hello", csv_type)) == object_outcome::stored);
    CHECK(content_of(*on.direct, "b") == "hello");
  }
}

TEST_CASE("answers that are lost do not make an upload fail, or succeed twice", "[objects]") {
  if (!has_s3_service()) return;
  const broken_service on{once_each({kind::lose_answer, {}, 0})};
  const auto bytes = on.long_bytes();
  CHECK(had(on.upload(bytes)) == object_outcome::stored);
  CHECK(content_of(*on.direct, "a") == bytes);
  CHECK(had(on.through->put_new(named("b"), "hello", csv_type)) == object_outcome::stored);
  CHECK(had(on.through->put_new(named("b"), "hello", csv_type)) == object_outcome::was_there);
  CHECK(listed(*on.through).size() == 2);
  // The one that was begun without an answer.
  CHECK(on.bucket.unfinished() == 1);
  CHECK(had(on.direct->collect_leftovers(seconds{3'600})) == 0);
  CHECK(had(on.direct->collect_leftovers(seconds{0})) == 1);
  CHECK(on.bucket.unfinished() == 0);
  had(on.through->remove(named("b")));
  had(on.through->remove(named("a")));
  CHECK(on.is_empty());
}

TEST_CASE("an upload whose parts never arrive fails and leaves nothing", "[objects]") {
  if (!has_s3_service()) return;
  struct expected_end {
    action what;
    std::string why;
  };
  for (const auto& [fault, reason] :
       {expected_end{{kind::cut_request, {}, 1'000'000}, "a part of the object"},
        expected_end{{kind::answer, canned_error(503, "SlowDown")}, "SlowDown"},
        expected_end{{kind::change_request, {}, 1'000'000}, "400, "}}) {
    CAPTURE(reason);
    const broken_service on{[&fault = fault](const seen_request& request) {
      return is_part(request) && request.is("PUT", "partNumber=2") ? fault : action{};
    }};
    const auto error = why(on.upload(on.long_bytes()));
    CHECK(error.code == base::errc::store_failed);
    has(error.detail, reason);
    has(error.detail, "after 4 attempts");
    CHECK(on.is_empty());
  }
}

TEST_CASE("an object that changes on its way is refused by the service", "[objects]") {
  if (!has_s3_service()) return;
  const broken_service on{[](const seen_request& request) {
    return request.method == "PUT" ? action{kind::change_request, {}, 2} : action{};
  }};
  const auto error = why(on.through->put_new(named("a"), "hello", csv_type));
  CHECK(error.code == base::errc::store_failed);
  has(error.detail, "HTTP status 400, ");
  CHECK(on.is_empty());
}

TEST_CASE("a completion that fails leaves nothing", "[objects]") {
  if (!has_s3_service()) return;
  for (const auto& answer :
       {canned(200, "<Error><Code>InternalError</Code></Error>"), canned(200, "half a"),
        canned_error(400, "InvalidPart"), canned_error(503, "SlowDown")}) {
    CAPTURE(answer);
    const broken_service on{[&](const seen_request& request) {
      const bool is_completion = request.is("POST", "uploadId=");
      return is_completion ? action{kind::answer, answer, 0} : action{};
    }};
    CHECK(why(on.upload(on.long_bytes())).code == base::errc::store_failed);
    CHECK(on.is_empty());
  }
}

TEST_CASE("an object is read whole although connections are cut", "[objects]") {
  if (!has_s3_service()) return;
  const broken_service on{[](const seen_request& request) {
    if (request.method != "GET" || request.number % 3 == 2) return action{};
    return action{kind::cut_answer, {}, 2'000'000};
  }};
  const auto bytes = on.long_bytes();
  had(on.direct->put_new(named("a"), bytes, csv_type));
  CHECK(content_of(*on.through, "a") == bytes);
  CHECK(on.proxy.count("GET") > 1);
}

TEST_CASE("what is read wrongly is an error, in whatever way it was stored", "[objects]") {
  if (!has_s3_service()) return;
  const broken_service on{[](const seen_request& request) {
    return request.method == "GET" ? action{kind::change_answer, {}, 2} : action{};
  }};
  had(on.direct->put_new(named("a"), on.long_bytes(), csv_type));
  had(on.direct->put_new(named("b"), "hello", csv_type));
  for (const auto* const name : {"a", "b"}) {
    const auto read = on.through->read(named(name), {}, [](std::string_view) { return true; });
    REQUIRE(!read.has_value());
    CHECK(read.error().code == base::errc::store_failed);
    has(read.error().detail, "the bytes differ from those that were stored");
  }
}

/// The machine's clock, and wrong.
class wrong_clock final : public base::clock {
public:
  explicit wrong_clock(std::chrono::milliseconds by) : by_{by} {}
  base::steady_time now() const noexcept override { return base::machine_clock().now(); }
  std::int64_t unix_ms() const noexcept override {
    return base::machine_clock().unix_ms() + by_.count();
  }

private:
  std::chrono::milliseconds by_;
};

/// What an answer to a request without credentials is.
s3_answer fetched(const std::string& url, const std::string& method = "GET") {
  s3_http_request request;
  request.method = method;
  request.url = url;
  const auto patience = std::chrono::seconds{20};
  s3_transfer_limits limits;
  limits.timeout = patience;
  limits.connect_timeout = patience;
  limits.silence_timeout = patience;
  limits.least_rate = 1;
  auto transfer = s3_connection{}.perform(request, limits);
  INFO(transfer.reason);
  REQUIRE(transfer.end == s3_transfer_end::answered);
  return std::move(transfer.answer);
}

TEST_CASE("a clock that is hours wrong is made up for, whichever request is first", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  for (const auto hours : {-20, 2}) {
    const wrong_clock time{std::chrono::hours{hours}};
    had(bucket.open()->put_new(named("a"), "hello", csv_type));
    for (int first = 0; first < 4; ++first) {
      CAPTURE(hours, first);
      const auto store = bucket.open({}, time);
      if (first == 0) CHECK(had(store->stat(named("a"))).has_value());
      if (first == 1) CHECK(content_of(*store, "a") == "hello");
      if (first == 2) CHECK(listed(*store) == std::vector<std::string>{"a 5"});
      if (first == 3) CHECK(!had(store->stat(named("b"))).has_value());
      const auto link =
          had(store->link(named("a"), {object_link::method::get, seconds{60}, {}, {}}));
      CHECK(fetched(*link).body == "hello");
      CHECK(had(store->put_new(named("c"), "x", csv_type)) == object_outcome::stored);
      const auto upload = had(store->begin_upload(named("d"), csv_type));
      had(upload->append(some_bytes(bucket.settings.part_bytes + 1)));
      CHECK(had(upload->complete()) == object_outcome::stored);
      had(store->remove(named("c")));
      had(store->remove(named("d")));
    }
    had(bucket.open()->remove(named("a")));
  }
}

TEST_CASE("without the bucket each call says that there is none", "[objects]") {
  if (!has_s3_service()) return;
  auto settings = test_settings(std::getenv("MATCHCLOUD_TEST_S3"), "t" + new_write_name());
  const auto store =
      std::make_unique<s3_objects>(settings, test_credentials(), base::machine_clock());
  const auto check = [](const auto& got) {
    REQUIRE(!got.has_value());
    CHECK(got.error().code == base::errc::store_failed);
    has(got.error().detail, "; create the bucket, or use another");
  };
  check(store->put_new(named("a"), "x", csv_type));
  check(store->put_new(named("a"), some_bytes(settings.part_bytes + 1), csv_type));
  check(store->stat(named("a")));
  check(store->read(named("a"), {}, [](std::string_view) { return true; }));
  check(store->remove(named("a")));
  check(store->list({}, [](const object_name&, const object_facts&) { return true; }));
  check(store->collect_leftovers(seconds{0}));
}

TEST_CASE("a wrong secret is refused, and not shown", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  auto source = s3_credential_source::open(
      [](const char* name) -> std::optional<std::string> {
        if (std::string_view{name} == "AWS_SECRET_ACCESS_KEY") return "hush-hush";
        if (std::string_view{name} == "AWS_ACCESS_KEY_ID") return std::getenv("AWS_ACCESS_KEY_ID");
        return std::nullopt;
      },
      base::machine_clock());
  const auto store =
      std::make_unique<s3_objects>(bucket.settings, had(std::move(source)), base::machine_clock());
  const auto error = why(store->put_new(named("a"), "x", csv_type));
  has(error.detail, "SignatureDoesNotMatch");
  has(error.detail, "; use the secret key that belongs to the access key");
  CHECK(error.detail.find("hush-hush") == std::string::npos);
}

TEST_CASE("a link gives its object as it says, for as long as it says", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  const auto store = bucket.open();
  had(store->put_new(named("exports/a"), "hello", "text/plain"));
  const object_link what{object_link::method::get, seconds{60}, "text/csv; charset=utf-8",
                         "attachment; filename=\"lobbies & more.csv\""};
  const auto url = *had(store->link(named("exports/a"), what));
  const auto got = fetched(url);
  CHECK(got.status == 200);
  CHECK(got.body == "hello");
  CHECK(got.header("content-type") == what.content_type);
  CHECK(got.header("content-disposition") == what.disposition);
  const auto plain =
      *had(store->link(named("exports/a"), {object_link::method::get, seconds{60}, {}, {}}));
  CHECK(fetched(plain).header("content-type") == "text/plain");
  const auto head =
      *had(store->link(named("exports/a"), {object_link::method::head, seconds{60}, {}, {}}));
  CHECK(fetched(head, "HEAD").status == 200);
  CHECK(fetched(head).status == 403);
}

TEST_CASE("a link leads to the public endpoint, and is for no other host", "[objects]") {
  if (!has_s3_service()) return;
  s3_bucket bucket;
  const auto direct = bucket.settings.endpoint;
  REQUIRE(direct.starts_with("http://127.0.0.1:"));
  const auto elsewhere = "http://localhost" + direct.substr(direct.rfind(':'));
  bucket.settings.public_endpoint = elsewhere;
  const auto store = bucket.open();
  had(store->put_new(named("a"), "hello", csv_type));
  const auto url =
      *had(store->link(named("a"), {object_link::method::get, seconds{60}, "text/csv", {}}));
  REQUIRE(url.starts_with(elsewhere + "/"));
  CHECK(fetched(url).body == "hello");
  CHECK(fetched(direct + url.substr(elsewhere.size())).status == 403);
  const auto head = *had(store->link(named("a"), {object_link::method::head, seconds{60}, {}, {}}));
  CHECK(head.starts_with(elsewhere + "/"));
  CHECK(fetched(head, "HEAD").status == 200);
}

TEST_CASE("a link that was changed, or is over, gives nothing", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  const auto store = bucket.open();
  had(store->put_new(named("a"), "hello", csv_type));
  had(store->put_new(named("b"), "secret", csv_type));
  const object_link what{object_link::method::get, seconds{60}, "text/csv", {}};
  const auto url = *had(store->link(named("a"), what));
  REQUIRE(fetched(url).status == 200);
  const auto changed = [&](std::string_view from, std::string_view to) {
    auto text = url;
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
  };
  CHECK(fetched(changed("/tests/a?", "/tests/b?")).status == 403);
  CHECK(fetched(changed("Expires=60", "Expires=6000")).status == 403);
  CHECK(fetched(changed("text%2Fcsv", "text%2Fhtml")).status == 403);
  auto last = url;
  last.back() = last.back() == '0' ? '1' : '0';
  CHECK(fetched(last).status == 403);
  const wrong_clock hour_ago{std::chrono::hours{-1}};
  CHECK(fetched(*had(bucket.open({}, hour_ago)->link(named("a"), what))).status == 403);
}

TEST_CASE("objects and leftovers are listed page by page", "[objects]") {
  if (!has_s3_service()) return;
  s3_bucket bucket;
  bucket.settings.page_limit = 2;
  const auto store = bucket.open();
  std::vector<std::string> expected;
  for (int i = 0; i < 5; ++i) {
    expected.push_back("f/" + std::to_string(i) + " 1");
    had(store->put_new(named("f/" + std::to_string(i)), "x", csv_type));
  }
  CHECK(listed(*store) == expected);
  CHECK(listed(*store, "f") == expected);
  for (int i = 0; i < 5; ++i) {
    s3_request begin;
    begin.method = "POST";
    begin.key = "tests/u" + std::to_string(i / 2);
    begin.query = {{"uploads", ""}};
    begin.operation = "leave an upload";
    CHECK(store->client().ask(begin).is_success());
  }
  CHECK(bucket.unfinished() == 5);
  CHECK(had(store->collect_leftovers(seconds{0})) == 5);
  CHECK(bucket.unfinished() == 0);
  CHECK(listed(*store) == expected);
}

TEST_CASE("what others have put into the bucket is left alone", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  const auto store = bucket.open();
  for (const auto* const key : {"elsewhere", "tests", "tests/a b", "tests/\xc3\xa4&<\"'>+%20",
                                "tests//x", "tests/../y", "testsuite/z"})
    CHECK(store->client().ask({"PUT", key, {}, {}, "x", "store another's"}).is_success());
  had(store->put_new(named("a"), "x", csv_type));
  CHECK(listed(*store) == std::vector<std::string>{"a 1"});
  CHECK(bucket.keys().size() == 8);
}

TEST_CASE("with TLS the service must have a certificate that is trusted, for its host",
          "[objects]") {
  if (!has_s3_service()) return;
  s3_bucket bucket;
  const std::string url = std::getenv("MATCHCLOUD_TEST_S3_TLS");
  const auto not_trusted = [&](const std::string& endpoint) {
    const auto error = why(bucket.open(endpoint)->put_new(named("a"), "x", csv_type));
    CHECK(error.code == base::errc::store_failed);
    has(error.detail, "set objects-ca-file to the authority that signed its certificate");
  };
  not_trusted(url);
  bucket.settings.ca_file = std::getenv("MATCHCLOUD_TEST_S3_CA");
  not_trusted("https://localhost" + url.substr(url.rfind(':')));
  const auto store = bucket.open(url);
  const auto bytes = some_bytes(2 * bucket.settings.part_bytes);
  CHECK(had(store->put_new(named("a"), bytes, csv_type)) == object_outcome::stored);
  CHECK(content_of(*store, "a") == bytes);
  bucket.settings.ca_file = "/nonexistent";
  not_trusted(url);
}

TEST_CASE("an object has the content type that it was stored with", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  const auto store = bucket.open();
  const auto upload = had(store->begin_upload(named("a"), "text/csv; charset=utf-8"));
  had(upload->append(some_bytes(bucket.settings.part_bytes + 1)));
  had(upload->complete());
  const auto url = *had(store->link(named("a"), {object_link::method::head, seconds{60}, {}, {}}));
  CHECK(fetched(url, "HEAD").header("content-type") == "text/csv; charset=utf-8");
}

} // namespace
} // namespace matchcloud::store
