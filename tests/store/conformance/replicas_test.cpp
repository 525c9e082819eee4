#include "store/replica_registry.hpp"

#include "store/replica_lease.hpp"
#include "tests/store/conformance/engines.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {
namespace {

using std::chrono::milliseconds;

struct replicas_bench : conforming_store {
  replicas_bench() : conforming_store{each_complete_engine()} {}

  std::shared_ptr<database> opened = had(open());

  std::uint32_t renew(std::uint8_t replica, milliseconds lease = milliseconds{60'000}) const {
    return had(had(opened->replicas())->renew_replica(id_of(replica), lease));
  }
};

TEST_CASE("replicas count while their leases hold, each once", "[engines]") {
  const replicas_bench on;
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(2) == 2);
  CHECK(on.renew(3, milliseconds{0}) == 2);
  CHECK(on.renew(3) == 3);
  CHECK(on.renew(2, milliseconds{-1}) == 2);
  CHECK(on.renew(1) == 2);
}

TEST_CASE("replicas hear what those that serve told last", "[engines]") {
  const replicas_bench on;
  on.renew(1);
  on.renew(2);
  on.renew(3, milliseconds{0});
  const auto in = had(on.opened->replicas());
  for (const auto* text : {"first", "last"})
    had(in->tell_replicas(id_of(1), text));
  had(in->tell_replicas(id_of(3), "gone"));
  had(in->tell_replicas(id_of(4), "has no lease"));
  on.renew(1);
  const auto heard = had(in->hear_replicas());
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].replica_id == id_of(1));
  CHECK(heard[0].summary == "last");
  CHECK(std::chrono::abs(milliseconds{had(in->store_time()) - heard[0].told_ts}) <
        milliseconds{60'000});
  CHECK(heard[1].replica_id == id_of(2));
  CHECK(heard[1].summary.empty());
}

TEST_CASE("a lease ends by the store's clock", "[engines]") {
  const replicas_bench on;
  on.renew(1, milliseconds{300});
  CHECK(e2e::eventually([&] { return on.renew(2) == 1; }));
}

/// A machine's clocks whose time of day is wrong.
class wrong_clock final : public base::clock {
public:
  explicit wrong_clock(milliseconds by) : by_{by} {}
  base::steady_time now() const noexcept override { return base::machine_clock().now(); }
  std::int64_t unix_ms() const noexcept override {
    return base::machine_clock().unix_ms() + by_.count();
  }

private:
  milliseconds by_;
};

TEST_CASE("replicas whose clocks are wrong agree on what has expired", "[engines]") {
  const replicas_bench on;
  const auto now_ts = had(had(on.opened->replicas())->store_time());
  // An export that is kept for one more hour.
  const export_claim claim{{id_of(1), {0, 10}},  id_of(7), id_of(8),
                           milliseconds{60'000}, now_ts,   now_ts};
  auto record = had(had(on.opened->exports())->claim_export(claim)).record;
  record.facts.keep_until_ts = now_ts + 3'600'000;
  record.sha256 = std::string(64, '0');
  REQUIRE(had(had(on.opened->exports())->complete_export(record)));
  for (const auto skew : {std::chrono::hours{3}, std::chrono::hours{-2}}) {
    const wrong_clock machine{skew};
    store_clock clock{machine};
    const auto count = std::make_shared<replica_count>();
    replica_lease lease{on.opened, id_of(5), count, std::make_shared<replica_board>(), clock};
    had(lease.renew());
    CHECK(count->get() == 1);
    CHECK(std::chrono::abs(clock.offset() + skew) < milliseconds{60'000});
    const auto exports = had(on.opened->exports());
    CHECK(had(exports->exports_over(clock.unix_ms(), 0, 10)).empty());
    CHECK(had(exports->exports_over(clock.unix_ms() + 3'700'000, 0, 10)).size() == 1);
  }
}

} // namespace
} // namespace matchcloud::store
