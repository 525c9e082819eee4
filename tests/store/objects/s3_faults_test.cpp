// What only a service of objects can show, some of it with a proxy before it. What single answers
// do is in tests/store/s3.
#include "base/clock.hpp"
#include "store/s3/s3_request.hpp"
#include "tests/store/objects/object_engines.hpp"
#include "tests/store/objects/s3_service.hpp"
#include "tests/store/s3/fault_proxy.hpp"
#include "tests/store/store_fixture.hpp"

#include <algorithm>
#include <cstdlib>

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

TEST_CASE("bytes that change on their way are an error, however the object was stored",
          "[objects]") {
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
  limits.body_limit_bytes = std::size_t{16} << 20U; // more than a part
  auto transfer = s3_connection{}.perform(request, limits);
  INFO(transfer.reason);
  REQUIRE(transfer.end == s3_transfer_end::answered);
  return std::move(transfer.answer);
}

TEST_CASE("a link gives its object as it says, for as long as it says", "[objects]") {
  if (!has_s3_service()) return;
  const s3_bucket bucket;
  const auto store = bucket.open();
  const auto upload = had(store->begin_upload(named("exports/a"), "text/plain"));
  const auto bytes = some_bytes(bucket.settings.part_bytes + 1);
  had(upload->append(bytes));
  had(upload->complete());
  const object_link what{object_link::method::get, seconds{60}, "text/csv; charset=utf-8",
                         "attachment; filename=\"lobbies & more.csv\""};
  const auto url = *had(store->link(named("exports/a"), what));
  const auto got = fetched(url);
  CHECK(got.status == 200);
  CHECK(got.body == bytes);
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

TEST_CASE("objects that others put into the bucket are not listed", "[objects]") {
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

} // namespace
} // namespace matchcloud::store
