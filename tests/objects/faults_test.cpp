// A service of objects that breaks, between the program and the gateway.
#include "tests/catch.hpp"
#include "tests/objects/broken_bucket.hpp"
#include "tests/objects/bucket_clients.hpp"

#include <array>
#include <atomic>
#include <ctime>
#include <memory>

namespace {

using namespace matchcloud;
using namespace e2e;
using store::canned_error;
using store::proxy_action;
using store::seen_request;
using kind = store::proxy_action::kind;

/// Bodies of many MB are not shown.
bool are_same(const std::string& a, const std::string& b) {
  return a == b;
}

bool is_write(const seen_request& request) {
  return request.method == "PUT" || request.method == "POST";
}

/// Does `what` to the first `times` requests whose target has `in_target`.
store::fault_proxy::plan first(int times, const std::string& method, const std::string& in_target,
                               proxy_action what) {
  auto left = std::make_shared<std::atomic<int>>(times);
  return [=](const seen_request& request) {
    return request.is(method, in_target) && (*left)-- > 0 ? what : proxy_action{};
  };
}

/// Does `what` to all writes.
store::fault_proxy::plan to_writes(proxy_action what) {
  return [=](const seen_request& request) { return is_write(request) ? what : proxy_action{}; };
}

store::fault_proxy::plan to_all(proxy_action what) {
  return [=](const seen_request&) { return what; };
}

const proxy_action internal_error{kind::answer, canned_error(500, "InternalError")};
const proxy_action slow_down{kind::answer, canned_error(503, "SlowDown")};

/// Checks that an export is refused for now, while the service is up, and leaves nothing.
void check_refused(const broken_bucket& at) {
  const auto refused = ask_for_export(at.of);
  INFO(refused.body);
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "store_failed");
  CHECK_FALSE(refused.header("retry-after").empty());
  check_serves(at.of.data());
  CHECK(at.of.ready_status() == 200);
}

TEST_CASE("an export that is stored at once gets over what passes") {
  if (!store::has_s3_service()) return;
  for (const auto& fault :
       {slow_down, internal_error, proxy_action{kind::cut_request, {}, 1'000},
        proxy_action{kind::change_request, {}, 3}, proxy_action{kind::lose_answer}}) {
    CAPTURE(static_cast<int>(fault.what), fault.text);
    broken_bucket at{{}};
    at.fault.set(first(2, "PUT", "/exports/", fault));
    const auto target = exported(at.of);
    CHECK(at.proxy.count("PUT", "/exports/") == 3);
    CHECK(are_same(download(at.of, target).body, csv_of(at.in())));
    CHECK(names_below(at.bucket(), "exports/").size() == 1);
    CHECK(at.of.metric("matchcloud_objects_calls_repeated_total") >= 2);
  }
}

/// The time in two hours, as a `Date` header has it.
std::string later() {
  const auto when = std::time(nullptr) + 7'200;
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
  return text.data();
}

TEST_CASE("a service of objects whose clock jumps there and back is followed") {
  if (!store::has_s3_service()) return;
  broken_bucket at{{}};
  at.fault.set(first(1, "PUT", "/exports/",
                     {kind::answer, canned_error(403, "RequestTimeTooSkewed", later())}));
  CHECK(download(at.of, exported(at.of)).status == 200);
  CHECK(at.proxy.count("PUT", "/exports/") == 3);
}

TEST_CASE("an export in parts gets over what passes") {
  if (!store::has_s3_service()) return;
  struct passing {
    std::string method;
    std::string in_target;
    proxy_action what;
  };
  for (const auto& [method, in_target, what] :
       {passing{"POST", "uploads", slow_down}, passing{"PUT", "partNumber=", slow_down},
        passing{"PUT", "partNumber=1", {kind::cut_request, {}, 3'000'000}},
        passing{"PUT", "partNumber=2", {kind::change_request, {}, 3}},
        passing{"POST", "uploadId=", {kind::lose_answer}},
        passing{"POST", "uploadId=", internal_error}}) {
    CAPTURE(method, in_target, static_cast<int>(what.what));
    broken_bucket at{{}, large_world()};
    at.fault.set(first(1, method, in_target, what));
    const auto target = exported(at.of);
    CHECK(are_same(download(at.of, target).body, large_csv()));
    CHECK(names_below(at.bucket(), "exports/").size() == 1);
    CHECK(at.bucket().unfinished() == 0);
  }
}

TEST_CASE("where nothing can be stored exports are refused for now, and leave nothing") {
  if (!store::has_s3_service()) return;
  broken_bucket at{{"--objects-timeout-ms", "5000"}};
  at.fault.set(to_writes(internal_error));
  check_refused(at);
  CHECK(has_no_exports(at.bucket()));
  CHECK(records_in(at.in()).empty());
  CHECK(at.of.metric("matchcloud_export_file_bytes") == 0);
  at.fault.end();
  CHECK(are_same(download(at.of, exported(at.of)).body, csv_of(at.in())));
}

TEST_CASE("an upload whose parts are refused, or cannot be put together, leaves nothing") {
  if (!store::has_s3_service()) return;
  const std::string which = GENERATE(as<std::string>{}, "partNumber=2", "/1?uploadId=");
  CAPTURE(which);
  broken_bucket at{{"--objects-timeout-ms", "5000"}, large_world()};
  at.fault.set([which](const seen_request& request) {
    return is_write(request) && request.target.find(which) != std::string::npos ? internal_error
                                                                                : proxy_action{};
  });
  check_refused(at);
  CHECK(has_no_exports(at.bucket()));
  at.fault.end();
  CHECK(are_same(download(at.of, exported(at.of)).body, large_csv()));
}

TEST_CASE("an image whose bytes change on their way through is not passed on") {
  if (!store::has_s3_service()) return;
  broken_bucket at{{"--objects-delivery", "through"}};
  const auto target = image_targets(at.of).front();
  at.fault.set([](const seen_request& request) {
    return request.is("GET", "/media/") ? proxy_action{kind::change_answer, {}, 100}
                                        : proxy_action{};
  });
  CHECK(ask(at.of, "GET", target).problem_code() == "store_failed");
  at.fault.end();
  CHECK(ask(at.of, "GET", target).body.starts_with("\x89PNG"));
}

TEST_CASE("an export whose bytes change on their way through ends before its end") {
  if (!store::has_s3_service()) return;
  // In the first window, and in the last one.
  const std::size_t changed = GENERATE(100U, 50U);
  CAPTURE(changed);
  broken_bucket at{{"--objects-delivery", "through"}};
  const auto target = exported(at.of);
  const auto csv = csv_of(at.in());
  const auto range = changed == 100 ? "bytes=0-" : "-" + std::to_string(csv.size() - 1);
  at.fault.set([=](const seen_request& request) {
    const bool is_hit =
        request.is("GET", "/exports/") && request.header("range").find(range) != std::string::npos;
    return is_hit ? proxy_action{kind::change_answer, {}, changed} : proxy_action{};
  });
  const auto got = received_body(at.of, target);
  CHECK(got.size() < csv.size());
  if (changed == 50) CHECK(are_same(got, csv.substr(0, got.size())));
  at.fault.end();
  CHECK(are_same(ask(at.of, "GET", target).body, csv));
}

TEST_CASE("an export that passes through gets over answers that are cut") {
  if (!store::has_s3_service()) return;
  broken_bucket at{{"--objects-delivery", "through"}};
  const auto target = exported(at.of);
  at.fault.set(first(2, "GET", "/exports/", {kind::cut_answer, {}, 300'000}));
  CHECK(are_same(ask(at.of, "GET", target).body, csv_of(at.in())));
  CHECK(at.of.metric("matchcloud_objects_calls_repeated_total") >= 2);
}

TEST_CASE("a service of objects that goes away within a download ends it short") {
  if (!store::has_s3_service()) return;
  broken_bucket at{{"--objects-delivery", "through", "--objects-timeout-ms", "1000"}};
  const auto target = exported(at.of);
  const auto csv = csv_of(at.in());
  at.fault.set([](const seen_request& request) {
    const bool is_first = request.header("range").find("=0-") != std::string::npos;
    return request.is("GET", "/exports/") && !is_first ? internal_error : proxy_action{};
  });
  const auto got = received_body(at.of, target);
  CHECK(got.size() < csv.size());
  CHECK(are_same(got, csv.substr(0, got.size())));
  check_serves(at.of.data());
}

TEST_CASE("a service of objects that hangs is answered for in time") {
  if (!store::has_s3_service()) return;
  const std::string delivery = GENERATE("redirect", "through");
  CAPTURE(delivery);
  broken_bucket at{{"--objects-delivery", delivery, "--objects-timeout-ms", "1000"}};
  const auto target = image_targets(at.of).front();
  at.fault.set(to_all({kind::hang}));
  const auto begun = clock::now();
  const auto image = ask(at.of, "GET", target);
  CHECK(image.status == 503);
  CHECK(image.problem_code() == "store_failed");
  check_refused(at);
  // A second for each call; the rest is for a busy machine.
  CHECK(clock::now() - begun < patience);
  at.fault.end();
  CHECK(eventually([&] { return download(at.of, target).status == 200; }));
  CHECK(eventually([&] { return ask_for_export(at.of).status == 200; }));
}

TEST_CASE("without its bucket the service is up, and says what it lacks") {
  if (!store::has_s3_service()) return;
  const std::string delivery = GENERATE("redirect", "through");
  CAPTURE(delivery);
  broken_bucket at{{"--objects-delivery", delivery}};
  const auto image = image_targets(at.of).front();
  at.bucket().remove();
  const auto got = ask(at.of, "GET", image);
  CHECK(got.status == 503);
  CHECK(got.problem_code() == "store_failed");
  check_refused(at);
  CHECK(at.of.process().says("NoSuchBucket; create the bucket, or use another"));
  CHECK(records_in(at.in()).empty());
}

} // namespace
