// Two processes with data directories of their own, which share a database and a bucket.
#include "tests/catch.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/objects/broken_bucket.hpp"
#include "tests/objects/bucket_world.hpp"

#include <csignal>
#include <future>

namespace {

using namespace matchcloud;
using namespace e2e;

TEST_CASE("what one machine has put into the bucket another one serves") {
  if (!store::has_s3_service() || !fixtures::postgres_installed()) return;
  const auto delivery = GENERATE("redirect", "through");
  CAPTURE(delivery);
  const store_url database{fixtures::shared_postgres().new_database()};
  const s3_bucket bucket;
  const world first_machine{told_of(bucket), database};
  const world second_machine{told_of(bucket), database};
  const server second{{"--objects-delivery", delivery}, second_machine};
  std::string target;
  std::string csv;
  {
    const server first{{"--objects-delivery", delivery}, first_machine};
    target = exported(first);
    csv = csv_of(first_machine);
    const bool is_same = download(second, target).body == csv;
    CHECK(is_same);
    CHECK(path_of(exported(second)) == path_of(target));
    CHECK(second.metric("matchcloud_exports_finished_total") == 0);
    CHECK(second.metric("matchcloud_exports_reused_total") == 1);
    const auto images = image_targets(first);
    CHECK(images.size() == 3);
    CHECK(image_targets(second) == images);
    for (const auto& each : images)
      CHECK(download(second, each).body == download(first, each).body);
  }
  // The first machine is gone.
  const auto whole = download(second, target);
  CHECK(whole.header("content-length") == std::to_string(csv.size()));
  const auto part = download(second, target, "GET", "Range: bytes=100-199\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == csv.substr(100, 100));
  CHECK(names_below(bucket, "media/").size() == 3);
  CHECK(names_below(bucket, "exports/").size() == 1);
  for (const auto* at : {&first_machine, &second_machine}) {
    CHECK_FALSE(has_files(*at, "media"));
    CHECK_FALSE(has_files(*at, "exports"));
    CHECK(run({"objects", "check", "--data-dir", at->data_dir()}).exit_code == 0);
  }
}

/// Two machines, of which the first one's uploads of exports hang until `uploads` ends it.
struct two_machines {
  two_machines() { hang(); }

  void hang() {
    uploads.set([](const store::seen_request& request) {
      return request.is("PUT", "/exports/") ? store::proxy_action{store::proxy_action::kind::hang}
                                            : store::proxy_action{};
    });
  }
  /// The path of the export in an answer, which tells exports apart.
  static std::string path_in(const answer& of) {
    return of.body.substr(of.body.find("/exports/"), 45);
  }
  /// Asks for the export of all lobbies, whose answer may take a while.
  static std::future<answer> ask_early(const server& of) {
    return std::async(std::launch::async, [&of] { return ask_for_export(of); });
  }

  store_url database{fixtures::shared_postgres().new_database()};
  s3_bucket bucket;
  fault_switch uploads;
  store::fault_proxy proxy{bucket.settings.endpoint,
                           [this](const store::seen_request& request) { return uploads(request); }};
  world first_machine{told_of(bucket), database};
  world second_machine{told_of(bucket), database};
  // What hangs is given up after four times that, when a lease of 10 s would be over.
  server first{{"--objects-endpoint", proxy.url(), "--objects-timeout-ms", "3000"}, first_machine};
  server second{{}, second_machine};
};

TEST_CASE("an export that one machine makes is waited for by another one that is asked for it") {
  if (!store::has_s3_service() || !fixtures::postgres_installed()) return;
  two_machines at;
  auto early = two_machines::ask_early(at.first);
  REQUIRE(eventually([&] { return at.proxy.count("PUT", "/exports/") == 1; }));
  auto late = two_machines::ask_early(at.second);
  REQUIRE(eventually([&] { return at.second.metric("matchcloud_exports_followed") == 1; }));
  SECTION("which takes it over when the first one is killed") {
    at.first.process().signal(SIGKILL);
    early.wait();
  }
  SECTION("which takes it over when the first one says nothing for longer than its lease") {
    at.first.process().signal(SIGSTOP);
    late.wait();
    at.uploads.end();
    at.first.process().signal(SIGCONT);
    // Its client gets what the second one made, and what it made itself is removed.
    CHECK(two_machines::path_in(early.get()) == two_machines::path_in(ask_for_export(at.second)));
  }
  REQUIRE(late.get().status == 200);
  CHECK(at.second.metric("matchcloud_exports_taken_over_total") == 1);
  CHECK(at.second.metric("matchcloud_exports_finished_total") == 1);
  CHECK(eventually([&] { return names_below(at.bucket, "exports/").size() == 1; }));
  CHECK(names_below(at.bucket, "exports/").front().ends_with("/2"));
  const auto target = exported(at.second);
  CHECK(download(at.second, target).body == csv_of(at.second_machine));
}

TEST_CASE("an export whose bucket hangs for longer than its lease stays with its maker") {
  if (!store::has_s3_service() || !fixtures::postgres_installed()) return;
  two_machines at;
  auto early = two_machines::ask_early(at.first);
  REQUIRE(eventually([&] { return at.proxy.count("PUT", "/exports/") == 1; }));
  auto late = two_machines::ask_early(at.second);
  // It gives up, and the machine that waits makes the export.
  CHECK(early.get().problem_code() == "store_failed");
  CHECK(late.get().status == 200);
  CHECK(at.second.metric("matchcloud_exports_taken_over_total") == 0);
  CHECK(names_below(at.bucket, "exports/").size() == 1);
  CHECK(names_below(at.bucket, "exports/").front().ends_with("/1"));
}

} // namespace
