#include "base/failure.hpp"
#include "load/mix.hpp"
#include "load/request_source.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <array>
#include <map>
#include <set>

namespace matchcloud::load {
namespace {

const fixtures::temporary_directory& directory() {
  static const fixtures::temporary_directory made;
  return made;
}

std::string refusal(std::string_view text) {
  const auto file = directory().file("refused.toml", text);
  const auto read = base::attempt([&] { return read_mix(file); });
  REQUIRE_FALSE(read);
  REQUIRE(read.error().detail.starts_with(file));
  return read.error().detail.substr(file.size());
}

std::vector<request_bytes> made_requests(const mix_part& part, const request_frame& frame,
                                         std::uint64_t seed = 1) {
  std::size_t sum_bytes = 0;
  auto made = make_requests(part, frame, seed, sum_bytes);
  for (const auto& each : made)
    sum_bytes -= sizeof each + each.text.capacity();
  CHECK(sum_bytes == 0);
  return made;
}

std::vector<std::string> requests(const mix_part& part, const request_frame& frame,
                                  std::uint64_t seed = 1) {
  std::vector<std::string> all;
  for (const auto& each : made_requests(part, frame, seed))
    all.push_back(each.text);
  return all;
}

const request_frame plain{"h:1", "", {}, false};

TEST_CASE("a mix file says what is asked, how often, of whom and with what", "[load]") {
  static_cast<void>(directory().file("clients", "192.0.2.1\r\n2001:db8::1\n"));
  static_cast<void>(directory().file("a.json", "{\"a\":1}\n"));
  static_cast<void>(directory().file("more.jsonl", "{}\n\n[]\n"));
  const auto read = base::attempt([&] {
    return read_mix(directory().file("mix.toml", R"(
    [[operation]]
    name = "regions"
    weight = 2.5
    lines = "clients"
    headers = { X-Forwarded-For = "{line}" }
    [[operation]]
    name = "versions.validate"
    variables = { game = "00000000-0000-4000-8000-000000000002" }
    lines = "more.jsonl"
    body = "{line}"
    expect.json_count = { "/errors" = 1 }
    [[operation]]
    name = "games.validate"
    body_file = "a.json"
    headers = { X-Forwarded-For = "{address}" }
    variants = 3
    [[operation]]
    name = "export"
    variables = { start = "{int:1000-2500}", length = "500" }
    expect.status = 404
  )"));
  });
  REQUIRE(read);
  REQUIRE(read->size() == 4);
  const auto& regions = read->front();
  CHECK(regions.weight == 2.5);
  const std::vector<std::string> text{
      "GET /matchmaker/regions HTTP/1.1\r\nHost: h:1\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n",
      "GET /matchmaker/regions HTTP/1.1\r\nHost: h:1\r\nX-Forwarded-For: 2001:db8::1\r\n\r\n"};
  CHECK(requests(regions, plain) == text);
  const auto& versions = read->at(1);
  CHECK(versions.steps.front().form.expected.json.size() == 2);
  const auto posted = requests(versions, {"h:1", "/base", {"X-A: b"}, true});
  REQUIRE(posted.size() == 2);
  CHECK(posted[0] ==
        "POST /base/cloud/games/00000000-0000-4000-8000-000000000002/versions/validate HTTP/1.1\r\n"
        "Host: h:1\r\nX-A: b\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Content-Length: 2\r\n\r\n{}");
  const auto games = requests(read->at(2), plain);
  REQUIRE(games.size() == 3);
  CHECK(games[0].find("\r\nX-Forwarded-For: ") != std::string::npos);
  CHECK(games[0].ends_with("\r\n\r\n{\"a\":1}\n"));
  const auto& exported = read->at(3);
  CHECK(exported.steps.front().form.status == 404);
  CHECK(exported.steps.front().form.expected.json.empty());
  const auto spans = requests(exported, plain);
  REQUIRE(spans.size() == 100);
  const auto body = e2e::parse_json(spans[0].substr(spans[0].find("\r\n\r\n") + 4));
  CHECK(body["query_end"].GetUint64() == body["query_start"].GetUint64() + 500);
}

/// The parts of requests from one text to the next one after it.
std::set<std::string> values_between(const std::vector<std::string>& all, std::string_view begin,
                                     std::string_view end) {
  std::set<std::string> parts;
  for (const auto& each : all) {
    const auto at = each.find(begin) + begin.size();
    parts.insert(each.substr(at, each.find(end, at) - at));
  }
  return parts;
}

TEST_CASE("lines are repeated as often as other values need", "[load]") {
  std::string lines;
  for (int i = 0; i < 250; ++i)
    lines.append(std::to_string(i)).append("\n");
  static_cast<void>(directory().file("many.jsonl", lines));
  const auto sizes = [](const std::string& keys) {
    const auto read = base::attempt([&] {
      return read_mix(
          directory().file("lists.toml", "[[operation]]\nlines = \"many.jsonl\"\n" + keys));
    });
    REQUIRE(read);
    const auto all = requests(read->front(), plain);
    return std::array{all.size(), values_between(all, "X-Forwarded-For: ", "\r\n").size(),
                      values_between(all, "\r\n\r\n", "\n").size()};
  };
  using numbers = std::array<std::size_t, 3>;
  const std::string bodies = "name = \"groups.validate\"\nbody = \"{line}\"\n";
  const std::string clients = "headers = { X-Forwarded-For = \"{address}\" }\n";
  CHECK(sizes(bodies)[0] == 250);
  CHECK(sizes(bodies + clients) == numbers{250, 250, 250});
  CHECK(sizes(bodies + clients + "variants = 1000") == numbers{1000, 1000, 250});
  CHECK(sizes(bodies + clients + "variants = 110") == numbers{110, 110, 110});
  // Not as often as the operation would without a file.
  CHECK(sizes("name = \"regions\"\nheaders = { X-Forwarded-For = \"{line}\" }")[0] == 250);
}

/// FNV-1a.
std::uint64_t hash_of(const std::vector<std::string>& texts) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const auto& text : texts)
    for (const unsigned char byte : text)
      hash = (hash ^ byte) * 1'099'511'628'211U;
  return hash;
}

TEST_CASE("the shipped requests are those of version 0.2, byte for byte", "[load]") {
  CHECK(hash_of(requests(single_mix("regions").front(), plain)) == 17'703'909'277'064'006'878U);
  CHECK(hash_of(requests(single_mix("avatars").front(), plain)) == 15'919'345'220'511'274'345U);
  CHECK(hash_of(requests(single_mix("groups.validate").front(), plain)) ==
        1'239'079'640'799'804'998U);
  CHECK(hash_of(requests(single_mix("games.validate").front(), plain)) ==
        13'223'319'959'829'491'718U);
  CHECK(hash_of(requests(single_mix("versions.validate").front(), plain)) ==
        11'335'099'788'898'698'369U);
  const auto read = base::attempt([&] {
    return read_mix(directory().file("span.toml", R"(
    [[operation]]
    name = "export"
    variables = { start = "{int:1767225600000-1769817600000}" }
  )"));
  });
  REQUIRE(read);
  CHECK(hash_of(requests(read->front(), plain)) == 8'777'605'785'906'584'385U);
}

TEST_CASE("requests that take too much memory are not made", "[load]") {
  std::size_t sum_bytes = 2UL * 1024 * 1024 * 1024;
  CHECK_THROWS_AS(make_requests(single_mix("avatars").front(), plain, 1, sum_bytes), base::failure);
}

TEST_CASE("requests have a place for a token where connections have one", "[load]") {
  const auto part = single_mix("groups.validate").front();
  const request_frame asks{"h:1", "", {"X-A: b"}, false, true};
  const std::vector<mix_part> parts{part};
  const request_source::pools pools{made_requests(part, asks)};
  request_source source{parts, pools, 1};
  const auto made = source.next();
  CHECK(made.bytes.substr(0, made.token_at) ==
        "POST /cloud/groups/validate HTTP/1.1\r\nHost: h:1\r\nAuthorization: Bearer ");
  CHECK(made.bytes.substr(made.token_at).starts_with("\r\nX-A: b\r\n"));
  const request_source::pools others{made_requests(part, plain)};
  const auto other = request_source{parts, others, 1}.next();
  CHECK(other.token_at == 0);
  CHECK(other.bytes.find("Authorization") == std::string_view::npos);
}

TEST_CASE("requests are chosen by weight", "[load]") {
  std::vector<mix_part> parts{single_mix("regions").front(), single_mix("avatars").front()};
  parts[0].weight = 3;
  const request_source::pools pools{made_requests(parts[0], plain), made_requests(parts[1], plain)};
  request_source source{parts, pools, 5};
  std::map<std::size_t, int> chosen;
  for (int i = 0; i < 10'000; ++i)
    ++chosen[source.next().part];
  CHECK(chosen[0] == Approx(7'500).epsilon(0.05));
  CHECK(chosen[1] == Approx(2'500).epsilon(0.1));
}

TEST_CASE("a request to any server is made from templates and the seed", "[load]") {
  static_cast<void>(directory().file("ids", "7\n8\n9\n"));
  const auto read = base::attempt([&] {
    return read_mix(directory().file("any.toml", R"(
    [[request]]
    name = "item"
    method = "PUT"
    path = "/items/{line}?n={int:3-3}"
    headers = { X-Kind = "{pick:a}", Content-Type = "text/plain" }
    body = '{"id":{line},"{{line}":1}'
    lines = "ids"
    variants = 4
    weight = 2
    expect.status = 201
    [[request]]
    path = "/"
    [[request]]
    path = "/{uuid}"
  )"));
  });
  REQUIRE(read);
  REQUIRE(read->size() == 3);
  const request_frame frame{"h:1", "/base", {"X-A: b"}, true, false};
  const auto made = requests(read->front(), frame);
  REQUIRE(made.size() == 4);
  CHECK(made[1] == "PUT /base/items/8?n=3 HTTP/1.1\r\nHost: h:1\r\nX-A: b\r\nConnection: close\r\n"
                   "Content-Type: text/plain\r\nX-Kind: a\r\nContent-Length: 19\r\n\r\n"
                   "{\"id\":8,\"{line}\":1}");
  CHECK(made[3].starts_with("PUT /base/items/7?"));
  CHECK(read->front().steps.front().form.status == 201);
  CHECK(requests(read->at(1), plain) ==
        std::vector<std::string>{"GET / HTTP/1.1\r\nHost: h:1\r\n\r\n"});
  const auto random = requests(read->at(2), plain);
  CHECK(std::set<std::string>(random.begin(), random.end()).size() == 100);
  CHECK(random == requests(read->at(2), plain));
  const auto rows = rows_of(*read);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name() == "item");
  CHECK(rows[1].name() == "GET request");
}

TEST_CASE("a token's place is that of its request, however long the path is", "[load]") {
  const auto read = base::attempt([&] {
    return read_mix(directory().file("places.toml", R"(
    [[request]]
    path = "/{pick:a,bcdefghijk}"
  )"));
  });
  REQUIRE(read);
  for (const auto& each : made_requests(read->front(), {"h:1", "", {}, false, true}))
    CHECK(each.text.substr(0, each.token_at).ends_with("\r\nAuthorization: Bearer "));
}

TEST_CASE("a flow's steps are rows of the results", "[load]") {
  const auto read = base::attempt([&] {
    return read_mix(directory().file("flow.toml", R"(
    [[operation]]
    name = "avatars"
    [[flow]]
    name = "walk"
    weight = 3
    [[flow.step]]
    name = "ask"
    method = "POST"
    path = "/ask"
    save = { url = "/url", tag = "ETag", got = ":bytes" }
    cut_bytes = 10
    [[flow.step]]
    path = "{url}"
    headers = { If-Range = "{tag}", Range = "bytes={got}-" }
    expect.status = 206
  )"));
  });
  REQUIRE(read);
  const auto rows = rows_of(*read);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name() == "avatars");
  CHECK(rows[1].name() == "walk: ask");
  CHECK(rows[2].name() == "walk: step 2");
  CHECK(rows[2].form().status == 206);
  CHECK(read->at(1).weight == 3);
}

TEST_CASE("requests and flows that cannot be taken say where and why", "[load]") {
  const auto request = [](const std::string& lines) {
    return refusal("[[request]]\npath = \"/\"\n" + lines);
  };
  CHECK(refusal("[[request]]") == ":1: has no `path`. Add one, such as path = \"/\".");
  CHECK(refusal("[[request]]\npath = \"x\"") == ":2: `path` must begin with a slash.");
  CHECK(refusal("[[request]]\npath = \"/a b\"")
            .starts_with(":2: `path` has a character that URLs cannot contain. Percent-encode"));
  CHECK(refusal("[[request]]\npath = \"/{uid}\"") ==
        ":2: `path` has `{uid}`, which is not a placeholder. Allowed: {uuid}, {int:1-1000}, "
        "{pick:a,b,c}, {ago:0-60000}, {address}, {line}. Write {{ for a literal brace.");
  CHECK(refusal("[[request]]\npath = \"/{int:9-1}\"")
            .starts_with(":2: `path` has `{int:9-1}`. Write two whole numbers"));
  CHECK(refusal("[[request]]\npath = \"/{line}\"")
            .starts_with(":1: uses {line}, but has no `lines`."));
  CHECK(
      request("wieght = 1").starts_with(":3: there is no `wieght`. Allowed: name, weight, lines"));
  CHECK(request("method = \"GET IT\"").starts_with(":3: `method` must be"));
  CHECK(request("headers = { Host = \"x\" }") ==
        ":3: `Host` is set by the program itself. Remove it.");
  CHECK(request("headers = { A = 1 }") == ":3: `A` must be a string in quotes.");
  CHECK(request("expect.status = 99") ==
        ":3: `expect.status` must be a whole number from 200 to 599.");
  CHECK(request("expect.json = { id = 1 }").starts_with(":3: `id` is not a JSON pointer."));
  CHECK(request("expect.json = { \"/id\" = [-inf] }").starts_with(":3: `/id` must not be inf"));
  CHECK(request("expect.body = 1").starts_with(":3: there is no `expect.body`. Allowed: status"));
  CHECK(request("variants = 0").starts_with(":3: `variants` must be a whole number from 1"));
  CHECK(request("body_file = \"gone\"")
            .ends_with("gone cannot be opened: No such file or directory"));
  static_cast<void>(directory().file("spaces", "a b\n"));
  CHECK(request("lines = \"spaces\"").starts_with(":3: nothing uses `lines`."));
  CHECK(refusal("[[request]]\npath = \"/{line}\"\nlines = \"spaces\"")
            .starts_with(":2: a line of `lines` has a character"));
  CHECK(refusal("[[flow]]\nname = \"x\"").starts_with(":1: has no [[flow.step]]."));
  const auto step = [](const std::string& lines) {
    return refusal("[[flow]]\n[[flow.step]]\npath = \"/\"\n" + lines);
  };
  CHECK(step("weight = 1").starts_with(":4: there is no `weight`. Allowed: name, method"));
  CHECK(refusal("[[flow]]\nvariables = { p = \"x\" }\n[[flow.step]]\npath = \"{p}\"") ==
        ":4: `path` must begin with a slash.");
  CHECK(step("save = { uuid = \"/a\" }").starts_with(":4: `uuid` cannot be the name"));
  CHECK(step("save = { a = \":size\" }").starts_with(":4: `a` must be saved from"));
  CHECK(step("[[flow.step]]\npath = \"{url}\"")
            .starts_with(":5: `path` has `{url}`, which is not a placeholder."));
  CHECK(step("save = { a = \"/a\" }\n[[flow.step]]\npath = \"/{b}\"").find("{line}, {a}.") !=
        std::string::npos);
}

TEST_CASE("a mix file that cannot be taken says where and why", "[load]") {
  CHECK(refusal("") ==
        ": has no [[operation]], [[request]] or [[flow]]. Add one for each part of the mix.");
  CHECK(refusal("operations = 1") ==
        ": there is no `operations`. Allowed: [[operation]], [[request]] and [[flow]].");
  CHECK(refusal("[[operation]]\nname = \"ping\"")
            .starts_with(":1: `name` must be one of: regions, avatars, groups.validate, "));
  CHECK(refusal("[[operation]]\nname = \"regions\"\nwieght = 2")
            .starts_with(":3: there is no `wieght`. Allowed: "));
  CHECK(refusal("[[operation]]\nname = \"regions\"\nweight = 0") ==
        ":3: `weight` must be a number greater than 0.");
  CHECK(refusal("[[operation]]\nname = \"regions\"\nclients = 5")
            .starts_with(":3: there is no `clients`. Allowed: "));
  CHECK(refusal("[[operation]]\nname = \"export\"\nvariables = { start = \"{int:9-1}\" }")
            .starts_with(":3: `start` has `{int:9-1}`. Write two whole numbers"));
  CHECK(refusal("[[operation]]\nname = \"export\"\nvariables = { start = \"{line}\" }") ==
        ":3: `start` must have characters of URLs only, and no {line}.");
  CHECK(refusal("[[operation]]\nname = \"export\"\nvariables = { uuid = \"5\" }")
            .starts_with(":3: `uuid` cannot be the name"));
  CHECK(refusal("[[operation]]\nname = \"groups.validate\"\nlength_ms = 5")
            .starts_with(":3: there is no `length_ms`. Allowed: name, weight, lines, variables"));
  CHECK(refusal("[[operation]]\nname = \"regions\"\nlines = \"gone\"")
            .ends_with("gone cannot be opened: No such file or directory"));
  CHECK(refusal("[[operation]").starts_with(":1: "));
  CHECK(base::attempt([&] { return read_mix(directory().path("none.toml")); }).error().code ==
        base::errc::io_failed);
}

} // namespace
} // namespace matchcloud::load
