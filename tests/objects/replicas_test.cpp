// Two processes with data directories of their own, which share a database and a bucket.
#include "tests/catch.hpp"
#include "tests/fixtures/postgres_server.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

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
  const server second{{"--objects-delivery", delivery, "--transport", "httplib"}, second_machine};
  std::string target;
  std::string csv;
  {
    const server first{{"--objects-delivery", delivery}, first_machine};
    target = exported(first);
    csv = csv_of(first_machine);
    const bool is_same = download(second, target).body == csv;
    CHECK(is_same);
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

} // namespace
