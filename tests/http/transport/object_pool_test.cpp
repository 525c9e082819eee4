#include "http/transport/loop_transport.hpp"

#include "tests/catch.hpp"

#include <memory>

namespace matchcloud::http {
namespace {

TEST_CASE("a pool keeps up to its limit and gives back what it keeps") {
  object_pool<int> pool{2};
  CHECK(!pool.take());
  for (const int each : {1, 2, 3})
    pool.keep(each);
  CHECK(pool.size() == 2);
  CHECK(pool.take() == 2);
  CHECK(pool.take() == 1);
  CHECK(pool.is_empty());
}

TEST_CASE("a pool drops as many as nobody needed since it dropped some") {
  object_pool<std::shared_ptr<int>> pool{10};
  for (int i = 0; i < 8; ++i)
    pool.keep(std::make_shared<int>(i));
  pool.drop_unused(); // they were returned since the last call
  CHECK(pool.size() == 8);
  {
    const auto first = pool.take();
    const auto second = pool.take();
    pool.keep(*second);
    pool.keep(*first);
  }
  pool.drop_unused();
  CHECK(pool.size() == 2);
  pool.drop_unused();
  CHECK(pool.is_empty());
}

} // namespace
} // namespace matchcloud::http
