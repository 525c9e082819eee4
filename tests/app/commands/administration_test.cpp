#include "app/commands/administration.hpp"

#include "tests/app/client/scripted_server.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <memory>

namespace matchcloud::app {
namespace {

using actors::element_request;
using actors::token_request;

std::string answer_of(const std::string& status, const std::string& json) {
  return answer_head(status, json.size(), "Content-Type: application/json\r\n") + json;
}

TEST_CASE("a service gets the request that the row of the operation describes") {
  const fixtures::temporary_directory folder;
  scripted_server service;
  CLI::App program{"", "matchcloud"};
  command_run run{program};
  administered_place place;
  place.service.url = service.url();
  place.service.token_file = folder.file("token", "mc_admin_0123");
  const administrator by{place, store_use::changes, run};

  service.then(answer_of("200 OK", R"({"entries":[],"next_before":null})"));
  service.then(answer_of("201 Created", R"({"region_id":"lon"})"));
  service.then(answer_head("204 No Content", 0, {}));
  by.perform(rows::list_audit, {}, model::audit_query{7, 2, 0, "token", "a b&c", {}});
  const auto put =
      by.perform(rows::put_element, {"regions", "lon"},
                 element_request{element_request::verb::put, model::element_kind::region, "lon",
                                 std::make_shared<const std::string>("{}")});
  CHECK(put.status == 201);
  CHECK(put.json == R"({"region_id":"lon"})");
  const model::uuid id;
  by.remove(rows::revoke_token, {to_string(id)}, token_request{token_request::verb::revoke, id});

  const auto asked = service.requests();
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].method == "GET");
  CHECK(asked[0].target == "/v1/audit?action=token&before=7&limit=2&since="
                           "1970-01-01T00%3A00%3A00.000Z&subject=a%20b%26c&who=");
  CHECK(asked[1].method == "PUT");
  CHECK(asked[1].target == "/v1/regions/lon");
  CHECK(asked[1].body == "{}");
  CHECK(asked[2].method == "DELETE");
  CHECK(asked[2].target == "/v1/tokens/" + to_string(id));
  for (const auto& each : asked)
    CHECK(each.header("authorization") == "Bearer mc_admin_0123");
}

TEST_CASE("an answer that is not JSON is refused with a reason") {
  const auto deep = R"({"a":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  for (const std::string& text : {std::string{}, std::string{"[]"}, std::string{"<html>"}, deep})
    CHECK_THROWS_AS(read_answer(text), base::failure);
}

TEST_CASE("an answer that is not that of the operation is no success") {
  scripted_server service;
  CLI::App program{"", "matchcloud"};
  command_run run{program};
  administered_place place;
  place.service.url = service.url();
  const administrator by{place, store_use::changes, run};
  const model::uuid id;
  const token_request revoke{token_request::verb::revoke, id};

  service.then(answer_of("200 OK", "{}"));
  CHECK_THROWS_AS(by.remove(rows::revoke_token, {to_string(id)}, revoke), base::failure);
  service.then(answer_of("200 OK", "<html>"));
  CHECK_THROWS_AS(by.perform(rows::list_tokens, {}, token_request{token_request::verb::list}),
                  base::failure);
}

TEST_CASE("numbers of an answer keep all their digits") {
  const auto answer = read_answer(R"({"latitude":12.431277769978271})");
  CHECK(shown_member(answer, "latitude") == "12.431277769978271");
}

} // namespace
} // namespace matchcloud::app
