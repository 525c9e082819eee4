#include "base/error.hpp"

#include "base/failure.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace matchcloud::base {
namespace {

/// Every value of the enum, which has no gaps. Its last value is named here.
std::vector<errc> all_errors() {
  std::vector<errc> all;
  for (int i = 0; i <= static_cast<int>(errc::address_unavailable); ++i)
    all.push_back(static_cast<errc>(i));
  return all;
}

bool is_snake_case(std::string_view code) {
  return !code.empty() && std::all_of(code.begin(), code.end(), [](unsigned char c) {
    return std::islower(c) != 0 || c == '_';
  });
}

TEST_CASE("every error has a code of its own, a title and an error status") {
  std::set<std::string_view> codes;
  for (const auto code : all_errors()) {
    const auto about = describe(code);
    CAPTURE(about.code);
    CHECK(codes.insert(about.code).second);
    CHECK(is_snake_case(about.code));
    CHECK(!about.title.empty());
    CHECK(about.title.back() != '.');
    CHECK(about.status >= 400);
    CHECK(about.status <= 599);
  }
  CHECK(codes.size() == 64);
}

TEST_CASE("statuses that clients rely on") {
  CHECK(describe(errc::target_too_long).status == 414);
  CHECK(describe(errc::head_too_large).status == 431);
  CHECK(describe(errc::body_too_large).status == 413);
  CHECK(describe(errc::head_timeout).status == 408);
  CHECK(describe(errc::route_not_found).status == 404);
  CHECK(describe(errc::method_not_allowed).status == 405);
  CHECK(describe(errc::media_type_unsupported).status == 415);
  CHECK(describe(errc::content_coding_unsupported).status == 415);
  CHECK(describe(errc::precondition_failed).status == 412);
  CHECK(describe(errc::transfer_coding_unsupported).status == 501);
  CHECK(describe(errc::method_not_implemented).status == 501);
  CHECK(describe(errc::id_malformed).status == 400);
  CHECK(describe(errc::element_not_found).status == 404);
  CHECK(describe(errc::still_referred).status == 409);
  CHECK(describe(errc::origin_not_allowed).status == 403);
  CHECK(describe(errc::exports_full).status == 507);
  CHECK(describe(errc::overloaded).status == 503);
  CHECK(describe(errc::budget_exhausted).status == 503);
  CHECK(describe(errc::unavailable).status == 503);
  CHECK(describe(errc::deadline_exceeded).status == 504);
  CHECK(describe(errc::history_too_slow).status == 504);
}

TEST_CASE("errors of disks, files and addresses tell of the machine, a client's own do not") {
  for (const auto code :
       {errc::store_failed, errc::store_full, errc::store_newer, errc::io_failed,
        errc::geoip_invalid, errc::address_unavailable, errc::history_too_slow, errc::internal})
    CHECK(is_local_failure(code));
  for (const auto code : {errc::body_malformed, errc::overloaded, errc::store_backlogged,
                          errc::import_invalid, errc::exports_full})
    CHECK_FALSE(is_local_failure(code));
}

TEST_CASE("an error without particulars is its code alone") {
  CHECK(to_string({errc::io_failed, ""}) == "io_failed");
  CHECK(to_string({errc::io_failed, "open: ENOENT"}) == "io_failed: open: ENOENT");
}

} // namespace
} // namespace matchcloud::base

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

TEST_CASE("an exception that is no failure passes through") {
  CHECK_THROWS_AS(attempt([] { throw std::runtime_error{"a defect"}; }), std::runtime_error);
}

TEST_CASE("an error of a value is thrown") {
  CHECK(*value_of(expected<std::unique_ptr<int>>{std::make_unique<int>(7)}) == 7);
  value_of(expected<void>{});
  CHECK(attempt([] { return value_of(expected<int>{tl::unexpect, broken}); }).error() == broken);
  CHECK(attempt([] { value_of(expected<void>{tl::unexpect, broken}); }).error() == broken);
}

} // namespace
