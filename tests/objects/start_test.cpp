// Starting where the bucket cannot be used: one line says why and what to do.
#include "tests/catch.hpp"
#include "tests/objects/bucket_world.hpp"

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

const arguments serve{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"};

/// Checks that a server and commands on that world fail, with one line that has all of `parts`.
void check_refused(const world& in, const environment& told, const arguments& parts,
                   const std::vector<arguments>& commands = {
                       serve, {"demo"}, {"objects", "check"}}) {
  for (const auto& command : commands) {
    CAPTURE(command.front());
    auto all = command;
    all.insert(all.end(), {"--data-dir", in.data_dir()});
    const auto done = run(all, told);
    INFO(done.errors);
    CHECK((done.exit_code == 1 || done.exit_code == 2));
    CHECK(done.out.empty());
    CHECK(std::count(done.errors.begin(), done.errors.end(), '\n') == 1);
    CHECK(done.errors.starts_with("matchcloud " + command.front()));
    for (const auto& part : parts)
      CHECK(done.errors.find(part) != std::string::npos);
    CHECK(done.errors.find("hush-hush") == std::string::npos);
  }
}

/// What tells processes of a bucket, with `line` in place of the one of the same name.
environment told_but(const s3_bucket& bucket, const std::string& line) {
  auto told = told_of(bucket);
  const auto name = line.substr(0, line.find('=') + 1);
  std::erase_if(told, [&](const auto& each) { return each.starts_with(name); });
  told.push_back(line);
  return told;
}

TEST_CASE("a bucket that is not there is named, and what to do") {
  if (!store::has_s3_service()) return;
  const world in;
  const s3_bucket bucket;
  check_refused(in, told_but(bucket, "MATCHCLOUD_OBJECTS=s3://no-such-bucket/a"),
                {"s3://no-such-bucket/", "NoSuchBucket; create the bucket, or use another"});
}

TEST_CASE("credentials that are wrong are told, and not shown") {
  if (!store::has_s3_service()) return;
  const world in;
  const s3_bucket bucket;
  const auto name = "s3://" + bucket.settings.location.bucket + "/";
  check_refused(in, told_but(bucket, "AWS_SECRET_ACCESS_KEY=hush-hush"),
                {name, "SignatureDoesNotMatch; use the secret key that belongs to the access key"});
  check_refused(in, told_but(bucket, "AWS_ACCESS_KEY_ID=nobody"),
                {name, "InvalidAccessKeyId; use credentials that this service knows"});
  auto none = told_but(bucket, "AWS_SECRET_ACCESS_KEY=");
  none.insert(none.end(), {"AWS_ACCESS_KEY_ID=", "HOME=" + in.directory().path()});
  check_refused(in, none, {"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"});
}

TEST_CASE("a service of objects that is out of reach is named") {
  if (!store::has_s3_service()) return;
  const world in;
  const s3_bucket bucket;
  auto told = told_but(bucket, "MATCHCLOUD_OBJECTS_ENDPOINT=http://127.0.0.1:1");
  told.emplace_back("MATCHCLOUD_START_WAIT_MS=0");
  check_refused(in, told,
                {"s3://" + bucket.settings.location.bucket + "/",
                 " at 127.0.0.1:1: ", "; check the endpoint, and that the service is running"},
                {serve});
}

TEST_CASE("a service whose bucket is out of reach waits for it") {
  const world in;
  child_process waits{{"serve", "--data-dir", in.data_dir(), "--listen", "127.0.0.1:0",
                       "--ops-listen", "127.0.0.1:0", "--objects", "s3://bucket",
                       "--objects-path-style", "--objects-endpoint", "http://127.0.0.1:1"},
                      {"AWS_ACCESS_KEY_ID=somebody", "AWS_SECRET_ACCESS_KEY=hush-hush"}};
  CHECK(waits.says("not ready: "));
  CHECK(waits.says("answers /healthz and /readyz"));
  CHECK(waits.errors().find("hush-hush") == std::string::npos);
  waits.signal(SIGTERM);
  CHECK(waits.exit_code() == 0);
}

} // namespace
