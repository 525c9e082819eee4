// `matchcloud schema`: the JSON Schema for a studio's editor.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/process.hpp"

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
                                 "json.schemas", "{version,game,group}"})
    CHECK(help.out.find(part) != std::string::npos);
}

TEST_CASE("schema has the limits and names of the rules that it is given", "[operations]") {
  const matchcloud::fixtures::temporary_directory folder;
  const auto rules = folder.file("rules.toml", "[rules]\nregions = [\"atl\"]\n"
                                               "[limits]\nversion-display-name = 7\n");
  const auto got = run({"schema", "--rules", rules});
  CHECK(got.exit_code == 0);
  const auto schema = parse_json(got.out);
  const auto* longest = rapidjson::Pointer{"/properties/display_name/maxLength"}.Get(schema);
  REQUIRE(longest);
  CHECK(longest->GetInt() == 7);
  CHECK(got.out.find(R"("enum": ["atl"])") != std::string::npos);

  const auto missing = run({"schema", "--rules", folder.path() + "/none.toml"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.out.empty());
  CHECK(missing.errors.find("none.toml") != std::string::npos);
}

TEST_CASE("schema of an unknown kind exits with 2 and names the known ones", "[operations]") {
  const auto got = run({"schema", "--kind", "region"});
  CHECK(got.exit_code == 2);
  CHECK(got.out.empty());
  CHECK(got.errors.find("region") != std::string::npos);
  CHECK(got.errors.find("version,game,group") != std::string::npos);
}

} // namespace
