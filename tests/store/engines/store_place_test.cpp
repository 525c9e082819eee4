#include "store/engines/store_place.hpp"

#include "base/failure.hpp"
#include "store/sql/schema_versions.hpp"
#include "tests/catch.hpp"

#include <string>

namespace matchcloud::store {
namespace {

/// Why a store on a server cannot be opened.
base::error why_closed(const std::string& url) {
  store_place place;
  place.url = url;
  const auto opened = open_store(place);
  REQUIRE_FALSE(opened.has_value());
  return opened.error();
}

TEST_CASE("a server that cannot be reached may come back by itself") {
  // Nobody listens at port 1.
  const auto gone = why_closed("postgresql://127.0.0.1:1/x");
  CHECK(gone.code == base::errc::store_failed);
  CHECK(gone.may_pass);
}

TEST_CASE("what somebody has to change is not waited for") {
  CHECK_FALSE(why_closed("postgresql://db.example/x?sslmode=disable").may_pass);
  const auto old = base::attempt([] { schema_versions{{}}.check(9, 0, "/data"); });
  REQUIRE_FALSE(old);
  CHECK_FALSE(old.error().may_pass);
}

} // namespace
} // namespace matchcloud::store
