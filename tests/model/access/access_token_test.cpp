#include "model/access/access_token.hpp"

#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <string>
#include <vector>

namespace matchcloud::model {
namespace {

using e2e::parse_json;
using e2e::text_at;

constexpr std::int64_t now_ms = 1'800'000'000'000;
const uuid some_id = *parse_uuid("00000000-0000-4000-8000-000000000001");

new_token wanted(token_kind kind = token_kind::studio) {
  new_token made;
  made.kind = kind;
  made.name = "build";
  return made;
}

std::string detail_of(const base::expected<new_token>& got) {
  return got ? std::string{} : got.error().detail;
}

TEST_CASE("a token's request is read with every member") {
  const auto got = parse_new_token(R"({"kind":"game","name":"ci","game_id":
      "00000000-0000-4000-8000-000000000001","expires":"2030-01-01T00:00:00Z",
      "limits":{"cheap":"100/10","expensive":"off"}})",
                                   now_ms);
  REQUIRE(got);
  CHECK(got->kind == token_kind::game);
  CHECK(got->name == "ci");
  CHECK(got->scope == some_id);
  CHECK(got->expires_ms == 1'893'456'000'000);
  REQUIRE(got->limits.cheap);
  CHECK(got->limits.cheap->quota == 100);
  CHECK(got->limits.cheap->window_s == 10);
  REQUIRE(got->limits.expensive);
  CHECK(got->limits.expensive->is_unlimited());
  const auto lasting = parse_new_token(R"({"kind":"admin","name":"a","expires_in_s":60})", now_ms);
  REQUIRE(lasting);
  CHECK(lasting->expires_ms == now_ms + 60'000);
}

TEST_CASE("all mistakes in a request for a token are named at once") {
  const auto refused = [](const std::string& json) {
    const auto got = parse_new_token(json, now_ms);
    CHECK_FALSE(got);
    return detail_of(got);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const auto both = refused("{}");
  CHECK(has(both, "`kind` must be one of admin, viewer, metrics, game, studio, player."));
  CHECK(has(both, "`name` is missing"));
  CHECK(has(refused(R"({"kind":"root","name":"a"})"), "`kind` must be one of"));
  CHECK(has(refused(R"({"kind":"game","name":"a"})"), "Add its game_id"));
  CHECK(has(refused(R"({"kind":"player","name":"a"})"), "Add its namespace_id"));
  const std::string id = "00000000-0000-4000-8000-000000000001";
  CHECK(has(refused(R"({"kind":"viewer","name":"a","game_id":")" + id + "\"}"),
            "does not belong to the kind viewer"));
  CHECK(has(refused(R"({"kind":"game","name":"a","game_id":"x"})"), "must be a UUID"));
  CHECK(has(refused(R"({"kind":"admin","name":""})"), "The name must be 1 to 64 characters"));
  CHECK(has(refused(R"({"kind":"admin","name":")" + std::string(65, 'x') + "\"}"), "1 to 64"));
  CHECK(has(refused(R"({"kind":"admin","name":")" + make_token_text(token_kind::admin) + "\"}"),
            "contains a token"));
  CHECK(has(refused(R"({"kind":"admin","name":"a","expires":"2020-01-01T00:00:00Z"})"), "past"));
  CHECK(has(refused(R"({"kind":"admin","name":"a","expires":"soon"})"), "a time such as"));
  CHECK(has(refused(R"({"kind":"admin","name":"a","expires_in_s":0})"), "expires_in_s"));
  CHECK(has(refused(R"({"kind":"admin","name":"a","expires_in_s":1,"expires":
      "2030-01-01T00:00:00Z"})"),
            "not both"));
  for (const std::string limits :
       {"7", R"({"cheap":"7"})", R"({"cheap":"0/1"})", R"({"dear":"1/1"})", R"({"cheap":"1/0"})",
        R"({"cheap":"1/1","cheap":"1/1"})"})
    CHECK(has(refused(R"({"kind":"admin","name":"a","limits":)" + limits + "}"), "`limits`"));
  CHECK(has(refused(R"({"kind":"admin","name":"a","admin":true})"), "admin"));
  CHECK_FALSE(refused("[]").empty());
  CHECK_FALSE(refused("").empty());
}

TEST_CASE("a rotation's grace time has a default and a limit") {
  CHECK(parse_rotation("") == rotation_grace_ms);
  CHECK(parse_rotation("{}") == rotation_grace_ms);
  CHECK(parse_rotation(R"({"grace_s":0})") == 0);
  CHECK(parse_rotation(R"({"grace_s":2592000})") == rotation_grace_limit_ms);
  CHECK_FALSE(parse_rotation(R"({"grace_s":2592001})"));
  CHECK_FALSE(parse_rotation(R"({"grace":1})"));
}

TEST_CASE("rate policies are written as a quota and seconds, or off") {
  CHECK(to_string(*parse_rate_policy("100/10")) == "100/10");
  CHECK(to_string(*parse_rate_policy("1000000000/86400")) == "1000000000/86400");
  CHECK(parse_rate_policy("off")->is_unlimited());
  for (const std::string text : {"", "1", "/", "1/", "/1", "0/1", "1/0", "1000000001/1", "1/86401",
                                 "-1/1", "1/1 ", " 1/1", "1.5/1", "on"})
    CHECK_FALSE(parse_rate_policy(text));
}

TEST_CASE("a token is found by the digest of its text, and of the one before") {
  auto first = make_token(wanted(), "local root (0)", now_ms);
  auto second = make_token(wanted(token_kind::admin), "x", now_ms);
  const auto before = make_token_text(token_kind::admin);
  second.token.former_digest = digest_of(before);
  const token_list list{3, {first.token, second.token}};
  CHECK(list.revision() == 3);
  CHECK(list.find(digest_of(first.text)).token->token_id == first.token.token_id);
  CHECK_FALSE(list.find(digest_of(first.text)).is_former);
  CHECK(list.find(digest_of(before)).token->token_id == second.token.token_id);
  CHECK(list.find(digest_of(before)).is_former);
  CHECK(list.find(digest_of("other")).token == nullptr);
  CHECK(list.find(second.token.token_id)->created_by == "x");
  CHECK(list.find(some_id) == nullptr);
  CHECK(token_list{}.find(digest_of("")).token == nullptr);
}

TEST_CASE("a token is active until it is revoked or expires") {
  auto token = make_token(wanted(), "x", now_ms).token;
  CHECK(token.state(now_ms) == token_state::active);
  token.what.expires_ms = now_ms + 1;
  CHECK(token.state(now_ms) == token_state::active);
  CHECK(token.state(now_ms + 1) == token_state::expired);
  token.revoked_ms = now_ms;
  CHECK(token.state(now_ms) == token_state::revoked);
}

TEST_CASE("uses are noted by the second and outlive a reload of the list") {
  const auto one = make_token(wanted(), "x", now_ms).token;
  const auto other = make_token(wanted(), "x", now_ms).token;
  const token_list before{1, {one, other}};
  before.note_use(*before.find(one.token_id), now_ms + 1'999);
  before.note_use(*before.find(one.token_id), now_ms);
  const token_list after{2, {make_token(wanted(), "x", now_ms).token, one}};
  after.take_uses(before);
  for (std::size_t i = 0; i < after.tokens().size(); ++i)
    CHECK(after.used_ms(i) == (after.tokens()[i].token_id == one.token_id ? now_ms + 1'000 : 0));
}

TEST_CASE("a token is shown with everything but its text, which is shown once") {
  auto made = make_token(wanted(token_kind::game), "token ops (1)", now_ms);
  made.token.what.scope = some_id;
  made.token.what.limits.cheap = base::rate_policy{5, 2};
  const auto shown = render_token(made.token, now_ms);
  CHECK(shown.find(made.text) == std::string::npos);
  CHECK(shown.find(made.text.substr(10, 20)) == std::string::npos);
  const auto json = parse_json(shown);
  CHECK(text_at(json, "kind") == "game");
  CHECK(text_at(json, "state") == "active");
  CHECK(text_at(json, "game_id") == to_string(some_id));
  CHECK(text_at(json, "created_by") == "token ops (1)");
  CHECK(text_at(json, "sha256").size() == 64);
  CHECK(json["expires"].IsNull());
  CHECK(text_at(json["limits"], "cheap") == "5/2");
  const auto once = parse_json(render_new_token(made.token, made.text, now_ms));
  CHECK(text_at(once, "token") == made.text);
  const auto all = parse_json(render_tokens(token_list{9, {made.token}}, now_ms));
  CHECK(all["tokens"].Size() == 1);
  CHECK(all["revision"].GetInt() == 9);
}

} // namespace
} // namespace matchcloud::model
