#include "base/failure.hpp"

#include "tests/catch.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace matchcloud::base;

const error broken{errc::store_failed, "the disk is on fire"};

TEST_CASE("a thrown failure becomes a value again") {
  CHECK(attempt([] { return 7; }) == 7);
  CHECK(attempt([] {}).has_value());
  const auto failed = attempt([]() -> int { throw failure{broken}; });
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error() == broken);
  CHECK(attempt([] { throw failure{broken}; }).error() == broken);
  CHECK(failure{broken}.what() == broken.detail);
}

TEST_CASE("what is no failure passes through") {
  CHECK_THROWS_AS(attempt([] { throw std::runtime_error{"a defect"}; }), std::runtime_error);
}

TEST_CASE("an error of a value is thrown") {
  CHECK(*value_of(expected<std::unique_ptr<int>>{std::make_unique<int>(7)}) == 7);
  value_of(expected<void>{});
  CHECK(attempt([] { return value_of(expected<int>{tl::unexpect, broken}); }).error() == broken);
  CHECK(attempt([] { value_of(expected<void>{tl::unexpect, broken}); }).error() == broken);
}

} // namespace
