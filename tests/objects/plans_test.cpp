// plans/failing-bucket.toml, and faults at the point `bucket.request`.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

namespace {

using namespace matchcloud;
using namespace e2e;

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

TEST_CASE("an export is refused while the bucket fails, and made once it is healed") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{"--enable-fault-injection", "--faults", "bucket.request = { kind = \"error\" }"},
                  at.in};
  const auto refused = ask_for_export(of);
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "store_failed");
  CHECK_FALSE(refused.header("retry-after").empty());
  CHECK(run({"fault", "clear", "--url", "http://" + of.ops().authority()}).exit_code == 0);
  CHECK_FALSE(exported(of).empty());
}

} // namespace
