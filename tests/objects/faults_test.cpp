// A service of objects that breaks, between the program and the gateway.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/objects/broken_bucket.hpp"

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

/// Does `what` to all writes.
store::fault_proxy::plan to_writes(proxy_action what) {
  return [=](const seen_request& request) {
    const bool is_write = request.method == "PUT" || request.method == "POST";
    return is_write ? what : proxy_action{};
  };
}

store::fault_proxy::plan to_all(proxy_action what) {
  return [=](const seen_request&) { return what; };
}

const proxy_action internal_error{kind::answer, canned_error(500, "InternalError")};

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
  broken_bucket at{{"--objects-delivery", "through"}};
  const auto image = image_targets(at.of).front();
  at.bucket().remove();
  const auto got = ask(at.of, "GET", image);
  CHECK(got.status == 503);
  CHECK(got.problem_code() == "store_failed");
  check_refused(at);
  CHECK(at.of.process().says("NoSuchBucket; create the bucket, or use another"));
  CHECK(records_in(at.in()).empty());
}

TEST_CASE("the plan of a failing bucket holds against the service") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{"--enable-fault-injection", "--fault-seed", "7"}, at.in};
  const auto got =
      run({"fault", "run", fixtures::source_path("plans/failing-bucket.toml"), "--url",
           "http://" + of.ops().authority(), "--load-url", "http://" + of.data().authority()});
  INFO(got.out << got.errors);
  CHECK(got.exit_code == 0);
  CHECK(got.out.find("holds   hits > 0") != std::string::npos);
}

} // namespace
