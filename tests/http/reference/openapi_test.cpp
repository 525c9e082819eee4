#include "http/reference/openapi.hpp"

#include "http/operations/list.hpp"
#include "http/reference/reference.hpp"
#include "http/transport/transport_metrics.hpp"
#include "model/json/rapidjson.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <rapidjson/pointer.h>

#include <algorithm>
#include <set>
#include <string>

namespace matchcloud::http {
namespace {

using matchcloud::e2e::parse_json;

rapidjson::Document document(plane of, const openapi_settings& settings = {}) {
  return parse_json(openapi(of, settings));
}

/// Calls `look` with every value below `from`.
template <class Look>
void walk(const rapidjson::Value& from, const Look& look) {
  look(from);
  if (from.IsObject())
    for (const auto& member : from.GetObject())
      walk(member.value, look);
  if (from.IsArray())
    for (const auto& element : from.GetArray())
      walk(element, look);
}

TEST_CASE("each operation is documented, and nothing that is none") {
  for (const auto of : {plane::data, plane::ops}) {
    std::set<operation> documented;
    for (const auto& each : references_of(of)) {
      const auto& row = row_of(each.id);
      CHECK(row.plane == of);
      CHECK_FALSE(row.path.empty());
      CHECK_FALSE(each.summary.empty());
      CHECK_FALSE(each.answers.empty());
      documented.insert(each.id);
    }
    for (const auto& row : operations) {
      INFO(row.name);
      CHECK((documented.count(row.id) == 1) == (row.plane == of && !row.path.empty()));
    }
  }
}

TEST_CASE("every status that an operation may be answered with is counted as itself") {
  const auto is_known = [](int status) {
    return std::ranges::find(known_statuses, status) != known_statuses.end();
  };
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of)) {
      INFO(row_of(each.id).name);
      for (const auto& answer : each.answers)
        CHECK(is_known(answer.status));
      for (const auto code : errors_of(each))
        CHECK(is_known(base::describe(code).status));
    }
}

TEST_CASE("an operation has an id of its own, a body where its row has one, and tags that exist") {
  for (const auto of : {plane::data, plane::ops}) {
    std::set<std::string_view> names;
    for (const auto& each : references_of(of)) {
      const auto name = each.name.empty() ? row_of(each.id).name : each.name;
      INFO(name);
      CHECK(names.insert(name).second);
      CHECK((row_of(each.id).body == body_kind::none) == each.body.schema.empty());
      const auto tags = tags_of(of);
      CHECK(std::ranges::any_of(tags, [&](const auto& tag) { return tag.name == each.tag; }));
    }
  }
}

TEST_CASE("what documents refer to is there, and nothing is there that none refers to") {
  for (const auto of : {plane::data, plane::ops}) {
    const auto whole = document(of);
    std::set<std::string> referred;
    walk(whole, [&](const rapidjson::Value& value) {
      if (!value.IsObject() || !value.HasMember("$ref")) return;
      const std::string to = value["$ref"].GetString();
      INFO(to);
      CHECK(rapidjson::Pointer{to.c_str()}.Get(whole) != nullptr);
      referred.insert(to);
    });
    for (const auto& section : whole["components"].GetObject()) {
      if (std::string{section.name.GetString()} == "securitySchemes") continue;
      for (const auto& each : section.value.GetObject()) {
        const auto name =
            std::string{"#/components/"} + section.name.GetString() + "/" + each.name.GetString();
        INFO(name);
        CHECK(referred.count(name) == 1);
      }
    }
  }
}

TEST_CASE("each error that a client can get is one of some operation") {
  std::set<base::errc> documented;
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of))
      for (const auto code : errors_of(each))
        documented.insert(code);
  for (const auto code : errors_without_operation())
    documented.insert(code);
  // Those of commands, of the start, and of work that nobody waits for.
  const std::set<base::errc> never{base::errc::config_invalid, base::errc::image_invalid,
                                   base::errc::geoip_invalid, base::errc::address_unavailable,
                                   base::errc::cancelled};
  for (int i = 0; i <= static_cast<int>(base::errc::address_unavailable); ++i) {
    const auto code = static_cast<base::errc>(i);
    INFO(base::describe(code).code);
    CHECK(documented.count(code) + never.count(code) == 1);
  }
}

TEST_CASE("the document has the limits in force and the base path") {
  openapi_settings settings;
  settings.rules.limits.game_display_name = 7;
  settings.base_path = "/mm";
  const auto data = document(plane::data, settings);
  const auto* longest =
      rapidjson::Pointer{"/components/schemas/GamePayload/properties/display_name/maxLength"}.Get(
          data);
  REQUIRE(longest != nullptr);
  CHECK(longest->GetInt() == 7);
  CHECK(std::string{data["servers"][0]["url"].GetString()} == "/mm");
  CHECK(openapi(plane::data, settings).find('\n') == std::string::npos);
  const auto ops = document(plane::ops, settings);
  CHECK(std::string{ops["servers"][0]["url"].GetString()} == "/");
}

} // namespace
} // namespace matchcloud::http
