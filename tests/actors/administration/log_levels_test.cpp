#include "actors/administration/log_levels.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::actors {
namespace {

using base::log_level;
using base::log_subject;

const auto others = base::log_levels_of(log_level::warning);

std::string refusal(std::string_view json) {
  const auto parsed = parse_log_levels(json, others);
  REQUIRE_FALSE(parsed);
  return parsed.error().detail;
}

TEST_CASE("subjects that are left out have their other level") {
  CHECK(parse_log_levels("{}", others) == others);
  auto wanted = others;
  wanted[log_subject::store] = log_level::debug;
  wanted[log_subject::tls] = log_level::error;
  CHECK(parse_log_levels(R"({"tls":"error","store":"debug"})", others) == wanted);
}

TEST_CASE("all that is wrong with levels is said at once") {
  const auto why = refusal(R"({"store":"loud","stoer":"debug","tls":7,"http":"critical"})");
  INFO(why);
  for (const auto* part : {"`store` must be", "`tls` must be", "`http` must be", "`stoer`"})
    CHECK(why.find(part) != std::string::npos);
  CHECK(parse_log_levels("[]", others).error().code == base::errc::body_not_object);
  CHECK(parse_log_levels(R"({"store":"loud"})", others).error().code == base::errc::query_invalid);
}

} // namespace
} // namespace matchcloud::actors
