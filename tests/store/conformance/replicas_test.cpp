#include "store/replica_registry.hpp"

#include "tests/store/conformance/engines.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {
namespace {

using std::chrono::milliseconds;

struct bench : conforming_store {
  bench() : conforming_store{each_complete_engine()} {}

  std::shared_ptr<database> opened = had(open());

  std::uint32_t renew(std::uint8_t replica, milliseconds lease = milliseconds{60'000}) const {
    return had(had(opened->replicas())->renew_replica(id_of(replica), lease));
  }
};

TEST_CASE("replicas count while their leases hold, each once", "[engines]") {
  const bench on;
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(1) == 1);
  CHECK(on.renew(2) == 2);
  CHECK(on.renew(3, milliseconds{0}) == 2);
  CHECK(on.renew(3) == 3);
  CHECK(on.renew(2, milliseconds{-1}) == 2);
  CHECK(on.renew(1) == 2);
}

TEST_CASE("a lease ends by the store's clock", "[engines]") {
  const bench on;
  on.renew(1, milliseconds{300});
  CHECK(e2e::eventually([&] { return on.renew(2) == 1; }));
}

} // namespace
} // namespace matchcloud::store
