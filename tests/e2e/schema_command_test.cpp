// `matchcloud schema`: what a studio's editor works with.
#include "tests/catch.hpp"
#include "tests/e2e/json.hpp"
#include "tests/e2e/process.hpp"

#include <rapidjson/pointer.h>

namespace {

using namespace matchcloud::e2e;

TEST_CASE("schema prints the JSON Schema of each kind, a version's by default", "[operations]") {
  const auto plain = run({"schema"});
  CHECK(plain.exit_code == 0);
  CHECK(plain.errors.empty());
  CHECK(plain.out.ends_with("}\n"));
  CHECK(run({"schema", "--kind", "version"}).out == plain.out);

  const auto version = parse_json(plain.out);
  CHECK(text_at(version, "$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(text_at(version, "$id") == "urn:matchcloud:schema:version");
  CHECK(rapidjson::Pointer{"/properties/config/properties/matchmaker"}.Get(version));

  for (const std::string kind : {"game", "group"}) {
    const auto schema = parse_json(run({"schema", "--kind", kind}).out);
    CHECK(text_at(schema, "$id") == "urn:matchcloud:schema:" + kind);
    const auto* longest = rapidjson::Pointer{"/properties/display_name/maxLength"}.Get(schema);
    REQUIRE(longest);
    CHECK(longest->GetInt() == 24);
  }
}

TEST_CASE("the help of schema tells how editors use it", "[operations]") {
  const auto help = run({"schema", "--help"});
  CHECK(help.exit_code == 0);
  for (const std::string part : {"Example: matchcloud schema", "# yaml-language-server: $schema=",
                                 "json.schemas", "version, game or group"})
    CHECK(help.out.find(part) != std::string::npos);
}

TEST_CASE("schema of an unknown kind exits with 2 and names the known ones", "[operations]") {
  const auto got = run({"schema", "--kind", "region"});
  CHECK(got.exit_code == 2);
  CHECK(got.out.empty());
  CHECK(got.errors.find("region") != std::string::npos);
  CHECK(got.errors.find("version,game,group") != std::string::npos);
}

} // namespace
