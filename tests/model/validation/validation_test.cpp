#include "model/validation/validation.hpp"

#include "model/json/json_document.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/schema.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <random>

using namespace matchcloud;
using namespace std::string_literals;
using model::payload_kind;

namespace {

std::vector<model::finding> findings_of(std::string_view body,
                                        const model::validation_rules& rules = {},
                                        payload_kind kind = payload_kind::version) {
  const auto findings = model::validate(kind, body, rules, model::default_reference_names());
  INFO(body.substr(0, 1'000));
  REQUIRE(findings.has_value());
  return *findings;
}

std::string version(std::string_view config) {
  return R"({"display_name":"v","config":)" + std::string(config) + "}";
}

std::string only_message(std::string_view config, const model::validation_rules& rules = {}) {
  const auto findings = findings_of(version(config), rules);
  REQUIRE(findings.size() == 1);
  return findings.front().message;
}

std::string object_with(std::size_t members, const std::string& value) {
  std::string text = "{";
  for (std::size_t i = 0; i < members; ++i)
    text += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":" + value;
  return text + "}";
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Generates random configs with specified and other names and values of any type. From a seed,
/// because rapidcheck shrinks a tree of generators too slowly.
class config_writer_of_chance {
public:
  explicit config_writer_of_chance(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string object(int levels) { return joined(members(levels)); }

  std::vector<std::string> members(int levels) {
    std::vector<std::string> all;
    for (auto count = below(7); count > 0; --count) {
      const auto name = one_of(
          {"config", "display_name", "matchmaker", "game_modes", "docker", "container_runtime",
           "ports",  "port",         "port_range", "min",        "max",    "cdn",
           "routes", "glob",         "engine",     "unity",      "unreal", "kv",
           "tier",   "regions",      "x"});
      all.push_back("\"" + name + "\":" + value(levels));
    }
    return all;
  }

  static std::string joined(const std::vector<std::string>& members) {
    std::string text = "{";
    for (const auto& member : members)
      text += (text.size() > 1 ? "," : "") + member;
    return text + "}";
  }

private:
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[below(choices.size())];
  }

  std::string value(int levels) {
    switch (below(levels > 0 ? 9 : 5)) {
    case 0: return one_of({"null", "true"});
    case 1: return one_of({"0", "-1", "1.5", "1e400", "70000"});
    case 2:
    case 3: return one_of({"\"\"", "\"https\"", "\"\\u202e\""});
    case 4: return "[]";
    case 5: return "[" + object(levels - 1) + "]";
    default: return object(levels - 1);
    }
  }

  std::mt19937 random_;
};

std::vector<std::string> codes(const std::vector<model::finding>& findings) {
  std::vector<std::string> all;
  for (const auto& finding : findings)
    all.emplace_back(finding.code);
  std::sort(all.begin(), all.end());
  return all;
}

void drop_repeated_names(std::vector<std::string>& members) {
  const auto name = [](const std::string& member) { return member.substr(0, member.find(':')); };
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end(),
                            [&](const auto& a, const auto& b) { return name(a) == name(b); }),
                members.end());
  // If a neutral name and its alias both occur, their order decides which value is validated.
  if (std::any_of(members.begin(), members.end(),
                  [](const auto& m) { return m.starts_with("\"docker\""); }))
    std::erase_if(members, [](const auto& m) { return m.starts_with("\"container_runtime\""); });
}

} // namespace

TEST_CASE("messages say what was found, what is allowed and what to write") {
  REQUIRE(only_message(R"({"matchmaker":{"max_players":"32"}})") ==
          "`max_players` must be an integer, but is the string `32`. Write the number without "
          "quotes.");
  REQUIRE(only_message(R"({"matchmaker":{"max_players":12.5}})") ==
          "`max_players` must be an integer, but is the number `12.5`. Write a whole number.");
  REQUIRE(only_message(R"({"matchmaker":{"docker":{"env":{"A":1}}}})") ==
          "`env.A` must be a string, but is a number. Put it in double quotes.");
  REQUIRE(only_message(R"({"matchmaker":{"docker":{"args":[[]]}}})") ==
          "`args[0]` must be a string, but is an array.");
  REQUIRE(only_message(R"({"matchmaker":{"docker":{"ports":{"a":{"port":70000}}}}})") ==
          "`port` is `70000`, which is not a port. Write a number from 1 to 65535.");
  const auto listable = [](const std::string& value) {
    return only_message(R"({"matchmaker":{"game_modes":{"m":{"listable":)" + value + "}}}}");
  };
  REQUIRE(listable(R"("true")").ends_with("is the string `true`. Write it without quotes."));
  REQUIRE(listable(R"("yes")").ends_with("is the string `yes`. Use true or false."));
  REQUIRE(listable("1").ends_with("is the number `1`. Use true or false."));
  REQUIRE(only_message(R"({"engine":{"unreal":{}}})") ==
          "`game_module` is required, but is absent. Add a string.");
  REQUIRE(only_message(R"({"matchmaker":{"docker":{},"container_runtime":{}}})") ==
          "`matchmaker` has both `docker` and `container_runtime`, two names of the same member. "
          "Keep one of them.");
  REQUIRE(only_message(R"({"scripts":{"a":"1","a":"2"}})") ==
          "`scripts` has the member `a` more than once. Keep one of them.");
}

TEST_CASE("messages name the entry or element that they are about") {
  const auto runtime = [](const std::string& members) {
    return only_message(R"({"matchmaker":{"docker":{)" + members + "}}}");
  };
  CHECK(holds(runtime(R"("args":["a","b",1])"), "`args[2]` must be a string"));
  CHECK(holds(runtime(R"("ports":{"game":{}})"), "`ports.game` has neither `port` nor "));
  CHECK(holds(runtime(R"("ports":{"game":5})"), "`ports.game` must be an object"));
  CHECK(holds(runtime(R"("env":{"1A":""})"),
              "The name `1A` in `env` is not valid. Use A to Z, a to z, 0 to 9 and `_`, without a "
              "digit at the start."));
  CHECK(holds(runtime(R"("env":{"":""})"), "A name in `env` is empty. "));
  CHECK(holds(runtime(R"("env":{"a b":1})"), "The entry `a b` of `env` must be a string"));
  CHECK(holds(runtime(R"("env":{"`":1})"), "The entry \"`\" of `env` must be a string"));
  CHECK(holds(only_message(R"({"cdn":{"routes":[5]}})"), "`routes[0]` must be an object"));
  CHECK(holds(only_message(R"({"matchmaker":{"game_modes":{"m":{"x":1}}}})"),
              "`game_modes.m` has no member `x`."));
  CHECK(holds(only_message(R"({"scripts":{"a":"","a":""}})"), "`scripts` has the member `a` more"));
  // A header's name that is none may be a whole line.
  const auto headers = [](const std::string& entry) {
    return only_message(R"({"matchmaker":{"game_modes":{"m":{"actions":{"find":{"enabled":true,)"
                        R"("verification":{"url":"https://example.com","headers":{)" +
                        entry + "}}}}}}}}");
  };
  CHECK(holds(headers(R"("X-Key":5)"), "`headers.X-Key` must be a string"));
  CHECK(holds(headers(R"("X-Key: secret":5)"), "An entry of `headers` must be a string"));
  CHECK(holds(headers(R"("X-Key: secret":"")"), "A name in `headers` contains "));
  CHECK(holds(headers(R"("host":"")"), "A name in `headers` is `host`, a header that "));
}

TEST_CASE("a message with two names of the client stays within the limit of both") {
  model::validation_rules rules;
  rules.limits.echo = 8;
  rules.limits.game_mode_name = 100;
  const auto message = only_message(R"({"matchmaker":{"game_modes":{")" + std::string(20, 'm') +
                                        R"(":{")" + std::string(20, 'x') + "\":1}}}}",
                                    rules);
  CHECK(message.starts_with("`game_modes.mmmm…` has no member `xxxx…`."));
  CHECK(holds(
      only_message(R"({"matchmaker":{"game_modes":{")" + std::string(20, 'm') + "\":1}}}", rules),
      "`game_modes.mmmmmmmm…` must be an object"));
}

TEST_CASE("messages use the client's spelling, or the common one") {
  constexpr auto captcha = R"({"matchmaker":{"captcha":{"requests_before_reverify":1,)"
                           R"("verification_ttl":1)";
  CHECK(only_message(std::string{captcha} + "}}}") ==
        "`captcha` has none of `hcaptcha`, `turnstile` (also written `captcha_provider_a`, "
        "`captcha_provider_b`). Add one of them.");
  CHECK(holds(only_message(std::string{captcha} + R"(,"captcha_provider_b":null}}})"),
              "`captcha` has none of `hcaptcha`, `captcha_provider_b` (also"));
  const auto unknown = [](const std::string& members) {
    return only_message(R"({"matchmaker":{"zz":1)" + members + "}}");
  };
  CHECK(holds(unknown(""), "`captcha`, `docker`, `game_modes`."));
  CHECK(holds(unknown(R"(,"container_runtime":{})"), "`captcha`, `container_runtime`, "));
  CHECK(holds(unknown(R"(,"game_modes":{"m":{"container_runtime":{}}})"), "`container_runtime`, "));
  CHECK(holds(only_message(R"({"matchmaker":{"container_runtime":[]}})"),
              "`container_runtime` must"));
  CHECK(holds(only_message(R"({"matchmaker":{"docker":[]}})"), "`docker` must be an object"));
  CHECK(
      only_message(R"({"engine":{"unity":{},"engine_a":{}}})") ==
      "`engine` has both `unity` and `engine_a`, two names of the same member. Keep one of them.");
  model::validation_rules rules;
  rules.further_aliases.push_back({"container_runtime", "oci"});
  CHECK(
      only_message(R"({"matchmaker":{"oci":{},"docker":{}}})", rules) ==
      "`matchmaker` has both `oci` and `docker`, two names of the same member. Keep one of them.");
  CHECK(holds(only_message(R"({"matchmaker":{"oci":{},"zz":1}})", rules), "`captcha`, `oci`, "));
}

TEST_CASE("a member that belongs in another one is told so") {
  CHECK(only_message(R"({"docker":{}})") ==
        "`config` has no member `docker`. It belongs in `matchmaker`.");
  CHECK(holds(only_message(R"({"matchmaker":{"image_id":"i"}})"), "It belongs in `docker`."));
  CHECK(holds(only_message(R"({"matchmaker":{"container_runtime":{},"args":[]}})"),
              "It belongs in `container_runtime`."));
  // Two could have it.
  CHECK_FALSE(holds(only_message(R"({"matchmaker":{"captcha":{"requests_before_reverify":1,)"
                                 R"("verification_ttl":1,"hcaptcha":{"secret_key":"a",)"
                                 R"("site_key":"b"},"secret_key":"a"}}})"),
                    "belongs"));
}

TEST_CASE("a misspelt choice is one finding") {
  constexpr auto captcha = R"({"matchmaker":{"captcha":{"requests_before_reverify":1,)"
                           R"("verification_ttl":1,)";
  CHECK(holds(only_message(std::string{captcha} + R"("hcapcha":{}}}})"), "`hcaptcha`?"));
  // What is no provider replaces none.
  CHECK(findings_of(version(std::string{captcha} + R"("x":{}}}})")).size() == 2);
}

TEST_CASE("messages name the numbers that are really allowed") {
  REQUIRE(only_message(R"({"matchmaker":{"max_players":9223372036854775808}})") ==
          "`max_players` is `9223372036854775808`, which is not a signed 64-bit integer. Write a "
          "number from 1 to 256.");
  REQUIRE(only_message(R"({"matchmaker":{"idle_lobbies":{"min":0,"max":-1e400}}})") ==
          "`max` is `-1e400`, which is not a signed 64-bit integer. Write a number from 0 to 32.");
  REQUIRE(holds(
      only_message(R"({"cdn":{"routes":[{"glob":"a","priority":5000000000,"middlewares":[]}]}})"),
      "Write a number from 0 to 100."));
  model::validation_rules rules;
  rules.limits.idle_lobbies_min_highest = 0;
  REQUIRE(only_message(R"({"matchmaker":{"idle_lobbies":{"min":1,"max":1}}})", rules) ==
          "`min` is `1`, which is too high. Write 0.");
}

TEST_CASE("messages count one of a thing as one") {
  model::validation_rules rules;
  rules.limits.regions = 0;
  rules.limits.header_value_bytes = 0;
  rules.limits.env_name = 1;
  rules.limits.header_name_bytes = 1;
  rules.limits.version_display_name = 1;
  const auto headers = [](const std::string& header) {
    return R"({"cdn":{"routes":[{"glob":"a","priority":1,"middlewares":[{"kind":{"custom_headers":)"
           R"({"headers":[)" +
           header + "]}}}]}]}}";
  };
  REQUIRE(holds(only_message(R"({"matchmaker":{"regions":{"a":{}}}})", rules),
                "`regions` has 1 entry. Keep at most 0;"));
  REQUIRE(holds(only_message(headers(R"({"name":"a","value":"b"})"), rules), "has 1 byte. "));
  REQUIRE(holds(only_message(headers(R"({"name":"","value":""})"), rules),
                "Write the name of a header, 1 byte."));
  REQUIRE(holds(only_message(R"({"matchmaker":{"docker":{"env":{"":""}}}})", rules),
                "Write 1 character."));
  REQUIRE(findings_of(R"({"display_name":"","config":{}})", rules).front().message ==
          "`display_name` is empty. Write 1 character.");
}

TEST_CASE("advice fits what was written and what may be configured") {
  REQUIRE(only_message(R"({"cdn":{"routes":"x"}})") ==
          "`routes` must be an array, but is a string.");
  REQUIRE(
      only_message(R"({"matchmaker":{"docker":{"args":"x"}}})") ==
      "`args` must be an array, but is a string. Put it in square brackets to make an array of one "
      "element.");
  // Without its quotes, the value would not be JSON.
  REQUIRE(only_message(R"({"matchmaker":{"max_players":"007"}})") ==
          "`max_players` must be an integer, but is the string `007`.");
  REQUIRE(only_message(
              R"({"cdn":{"routes":[{"glob":"a","priority":1,"middlewares":[{"kind":{}}]}]}})") ==
          "`kind` must have `custom_headers`, its only member. Add it.");
  REQUIRE(holds(only_message(R"({"":1})"), "`config` has no member `\"\"`. It can have: `cdn`, "));
  const auto port = [](const std::string& members) {
    return R"({"matchmaker":{"docker":{"network_mode":"host","ports":{"a":{)" + members + "}}}}}";
  };
  REQUIRE(
      holds(only_message(port(R"("port":1,"proxy":"none")")),
            "`ports.a` has `\"proxy\": \"none\"`, but `https` (the default protocol) works only "
            "through the gateway."));
  REQUIRE(holds(only_message(port(R"("port":1,"proxy":"none","protocol":"https")")),
                "but `https` works only through the gateway."));
}

TEST_CASE("the hosted edition is not advised what it does not have") {
  model::validation_rules rules;
  rules.edition = model::service_edition::hosted;
  for (const auto* port :
       {R"({"port":1,"proxy":"none"})", R"({"port_range":{"min":26000,"max":26001}})"}) {
    const auto config = R"({"matchmaker":{"docker":{"ports":{"a":)" + std::string(port) + "}}}}";
    CHECK_FALSE(holds(only_message(config, rules), "\"host\""));
    CHECK(holds(only_message(config), "`\"network_mode\": \"host\"`"));
  }
}

TEST_CASE("an unknown member close to a known one is asked about") {
  const auto suggestion = [](std::string_view owner, std::string_view name) {
    const auto message =
        only_message(std::string(owner) + "\"" + std::string(name) + "\":1" +
                     std::string(std::count(owner.begin(), owner.end(), '{'), '}'));
    const auto at = message.find("Did you mean `");
    if (at == std::string::npos) return ""s;
    const auto begin = at + 14;
    return message.substr(begin, message.find('`', begin) - begin);
  };
  constexpr auto port = R"({"matchmaker":{"docker":{"ports":{"p":{"port":80,)";
  constexpr auto matchmaker = R"({"matchmaker":{)";
  REQUIRE(suggestion(port, "proto") == "protocol");
  REQUIRE(suggestion(port, "range") == "port_range");
  REQUIRE(suggestion(port, "target") == "");
  // The closest name, `port`, is already present.
  REQUIRE(suggestion(port, "prot") == "protocol");
  REQUIRE(suggestion(matchmaker, "maxPlayers") == "max_players");
  REQUIRE(suggestion(matchmaker, "max-players-direct") == "max_players_direct");
  REQUIRE(suggestion(matchmaker, "dokcer") == "docker");
  REQUIRE(suggestion(matchmaker, "gamemodes") == "game_modes");
  REQUIRE(suggestion("{", "identity") == "");
  REQUIRE(suggestion("{", "script") == "scripts");
  REQUIRE(suggestion("{", "x") == "");
  REQUIRE(suggestion("{", std::string(65, 'k')) == "");
}

TEST_CASE("no member is suggested that is there already, under whichever of its names") {
  const auto message = [](const std::string& members) {
    return only_message(R"({"matchmaker":{)" + members + "}}");
  };
  CHECK(holds(message(R"("max_playrs":1)"), "Did you mean `max_players`?"));
  // The suggested member is present, before or after, or null.
  CHECK_FALSE(holds(message(R"("max_playrs":1,"max_players":1)"), "Did you mean"));
  CHECK_FALSE(holds(message(R"("max_players":null,"max_playrs":1)"), "Did you mean"));
  CHECK_FALSE(holds(message(R"("container_runtim":{},"docker":{})"), "Did you mean"));
  CHECK(holds(message(R"("max_players_partie":1,"max_players":1)"), "`max_players_party`?"));
  const auto findings = findings_of(version(
      R"({"matchmaker":{"docker":{"ports":{"a":{"port":1,"prot":1},"b":{"prot":1,"prots":1}}}}})"));
  REQUIRE(findings.size() == 4);
  CHECK_FALSE(holds(findings[0].message, "`port`?"));
  CHECK(holds(findings[1].message, "Did you mean `port`?"));
}

TEST_CASE("only the first findings get suggestions") {
  std::string config = "{";
  for (int i = 0; i < 40; ++i)
    config += (i > 0 ? ",\"script" : "\"script") + std::to_string(i) + "\":1";
  const auto findings = findings_of(version(config + "}"));
  REQUIRE(findings.size() == 40);
  REQUIRE(holds(findings[31].message, "Did you mean `scripts`?"));
  REQUIRE_FALSE(holds(findings[32].message, "Did you mean"));
}

TEST_CASE("a message echoes at most 64 characters, and nothing that hides or turns") {
  std::string name;
  for (int i = 0; i < 70; ++i)
    name += "é";
  const auto message = only_message("{\"" + name + "\":1}");
  REQUIRE(holds(message, name.substr(0, 128) + "…`"));
  REQUIRE_FALSE(holds(message, name.substr(0, 130)));
  REQUIRE(
      holds(only_message(R"({"a\u202eb\n\u0000\u200b":1})"), R"(`a\u202eb\u000a\u0000\u200b`)"));
  REQUIRE(holds(only_message(R"({"matchmaker":{"max_players":)" + std::string(1'000, '7') + "}}"),
                "`" + std::string(64, '7') + "…`"));
}

TEST_CASE("no message shows a value that may be a secret") {
  const auto verification = [](const std::string& value) {
    return R"({"matchmaker":{"game_modes":{"m":{"actions":{"find":)"
           R"({"enabled":true,"verification":)" +
           value + "}}}}}}";
  };
  const auto captcha = [](const std::string& value) {
    return R"({"matchmaker":{"captcha":{"requests_before_reverify":1,"verification_ttl":1,)" +
           value + "}}}";
  };
  const std::vector<std::string> configs{
      verification(R"("777secret")"),
      verification(R"({"url":"https://me:a/777secret@example.com","headers":{}})"),
      verification(R"({"url":"https://me:777secret/a@example.com","headers":{}})"),
      verification(R"({"url":"https://me:777secret#a@example.com","headers":{}})"),
      verification(R"({"url":"https://777secret.local/a@b","headers":{}})"),
      verification(R"({"url":"example.com/?token=777secret","headers":{}})"),
      verification(R"({"url":"https://example.com","headers":"Authorization: 777secret"})"),
      verification(R"({"url":"https://example.com","headers":{"Authorization":777}})"),
      verification(R"({"url":"https://example.com","headers":{"Authorization: 777secret":""}})"),
      captcha(R"("hcaptcha":"777secret")"),
      captcha(R"("hcaptcha":{"site_key":"a","secret_key":777})"),
      captcha(R"("hcaptcha":{"site_key":"a","secret_key":"777secret)" + std::string(128, 'a') +
              "\"}"),
      R"({"matchmaker":{"captcha":"777secret"}})",
      R"({"matchmaker":{"docker":{"env":"KEY=777secret"}}})",
      R"({"matchmaker":{"docker":{"env":{"KEY":777}}}})",
      R"({"matchmaker":{"docker":{"args":[777]}}})",
      R"({"scripts":"777secret"})"};
  for (const auto& config : configs)
    CHECK_FALSE(holds(only_message(config), "777"));
}

TEST_CASE("the size of the list counts its findings as they are rendered") {
  const auto body = version(R"({"mind":1,"tëxt":"2"})");
  model::validation_rules rules;
  rules.limits.findings_bytes = 0;
  for (const auto& found : findings_of(body))
    rules.limits.findings_bytes += model::rendered_bytes(found);
  REQUIRE(findings_of(body, rules) == findings_of(body));
  --rules.limits.findings_bytes;
  REQUIRE(findings_of(body, rules).size() == 2);
  REQUIRE(findings_of(body, rules).back().code == "too-many-errors");
}

TEST_CASE("a list whose first finding has no room says where that is") {
  model::validation_rules rules;
  rules.limits.findings_bytes = 1'024;
  const auto body = version("{\"" + std::string(2'000, 'k') + "\":1}");
  const auto findings = findings_of(body, rules);
  REQUIRE(findings.size() == 1);
  REQUIRE(findings.front().code == "too-many-errors");
  REQUIRE(findings.front().message ==
          "The first error, at byte " + std::to_string(body.find("\"kkk")) +
              " of the body, is longer than the limit of 1024 bytes for "
              "all errors. Fix it, or shorten the names around it, and validate again.");
}

TEST_CASE("guesses have a budget of names, so that no catalog makes a small body slow") {
  auto names = model::default_reference_names();
  names.regions.emplace();
  for (int i = 1'000; i < 2'000; ++i)
    names.regions->push_back("region-" + std::to_string(i));
  std::string regions = "{";
  for (int i = 0; i < 6; ++i)
    regions += (i > 0 ? ",\"regoin-100" : "\"regoin-100") + std::to_string(i) + "\":{}";
  const auto findings = model::validate(
      payload_kind::version, version(R"({"matchmaker":{"regions":)" + regions + "}}}"), {}, names);
  REQUIRE(findings.has_value());
  REQUIRE(findings->size() == 6);
  for (std::size_t i = 0; i < findings->size(); ++i) {
    const auto meant = "Did you mean `region-100" + std::to_string(i) + "`?";
    CHECK(holds((*findings)[i].message, meant) == (i < 4));
    CHECK(holds((*findings)[i].message, "`region-1015` and 984 more."));
  }
}

TEST_CASE("names that the client chose are no part of a sentence about something else") {
  const auto findings =
      findings_of(R"({"display_name":"g","chosen":{"a":1,"a":2}})", {}, payload_kind::game);
  REQUIRE(findings.size() == 1);
  REQUIRE_FALSE(holds(findings.front().message, "chosen"));
}

TEST_CASE("a finding knows where its value stands, a missing member where its object does") {
  const auto unknown = version(R"({"mind":1,"mind":2,"scripts":{"":"a"}})");
  const auto names = findings_of(unknown);
  REQUIRE(names.size() == 3);
  REQUIRE(names[0].offset == unknown.find("\"mind"));
  REQUIRE(names[1].offset == unknown.rfind("\"mind"));
  REQUIRE(names[2].offset == unknown.find("\"\""));
  const auto body = version(R"({"matchmaker":{"tier": 7,"idle_lobbies": {"min":1}}})");
  const auto findings = findings_of(body);
  REQUIRE(findings.size() == 2);
  REQUIRE(findings[0].offset == body.find('7'));
  REQUIRE(findings[1].offset == body.find("{\"min"));
}

TEST_CASE("the list of findings ends at its limit") {
  const auto exactly =
      findings_of(version(R"({"cdn":{"build_env":)" + object_with(1'000, "1") + "}}"));
  REQUIRE(exactly.size() == 1'000);
  REQUIRE(exactly.back().code == "wrong-type");
  const auto more =
      findings_of(version(R"({"cdn":{"build_env":)" + object_with(1'001, "1") + "}}"));
  REQUIRE(more.size() == 1'001);
  REQUIRE(more.back().code == "too-many-errors");
  REQUIRE(more.back().path.empty());
  REQUIRE(
      std::equal(exactly.begin(), exactly.end(), more.begin(), [](const auto& a, const auto& b) {
        return a.path == b.path && a.code == b.code;
      }));
}

TEST_CASE("missing members count towards the limit") {
  model::validation_rules rules;
  rules.limits.findings = 1;
  const auto findings = findings_of("{}", rules);
  REQUIRE(findings.size() == 2);
  REQUIRE(findings[0].code == "required");
  REQUIRE(findings[1].code == "too-many-errors");
  REQUIRE(holds(findings[1].message, "than the one listed here. Fix it "));
}

TEST_CASE("the list of findings ends at its size") {
  const auto key = std::string(400'000, 'k');
  const auto findings = findings_of(version(R"({"matchmaker":{"regions":{")" + key +
                                            R"(":{"a":1,"b":1,"c":1,"d":1,"idle_lobbies":{}}}}})"));
  REQUIRE(findings.size() == 3);
  REQUIRE(findings.back().code == "too-many-errors");
  REQUIRE(model::render_findings(findings).size() < 1024 * 1024 + 1'000);
}

TEST_CASE("configuration adds aliases") {
  model::validation_rules rules;
  rules.further_aliases.push_back({"container_runtime", "podman"});
  const auto body = version(R"({"matchmaker":{"podman":{"args":1},"docker":{}}})");
  const auto findings = findings_of(body, rules);
  REQUIRE(findings.size() == 2);
  REQUIRE(findings[0].path.back() == "args");
  REQUIRE(findings[1].code == "duplicate-member");
  REQUIRE(findings_of(body).front().code == "unknown-member");
}

TEST_CASE("configuration changes the lengths of names") {
  model::validation_rules rules;
  rules.limits.group_display_name = 2;
  REQUIRE(findings_of(R"({"display_name":"ab"})", rules, payload_kind::group).empty());
  REQUIRE(findings_of(R"({"display_name":"abc"})", rules, payload_kind::group).size() == 1);
}

TEST_CASE("every alias names a key of the specification, once") {
  for (const auto& key : model::key_aliases()) {
    REQUIRE(model::alias_of(key.neutral) == key.alias);
    REQUIRE(model::alias_of(key.alias).empty());
  }
}

TEST_CASE("findings are rendered as the response") {
  REQUIRE(model::render_findings({}) == R"({"errors":[]})");
  const std::vector<model::finding> findings{{{"a", "\"\n\x01é"}, "c", "m", 0}, {{}, "d", "n", 0}};
  REQUIRE(model::render_findings(findings) ==
          R"({"errors":[{"path":["a","\"\n\u0001é"],"code":"c","message":"m"},)"
          R"({"path":[],"code":"d","message":"n"}]})");
  const auto frame = model::render_findings({}).size();
  REQUIRE(model::rendered_bytes(findings[0]) + model::rendered_bytes(findings[1]) + frame - 1 ==
          model::render_findings(findings).size());
}

TEST_CASE("property: the rendered size is what it says") {
  REQUIRE(rc::check([](const std::vector<std::string>& path, const std::string& message) {
    const model::finding found{path, "code", message, 0};
    RC_ASSERT(model::render_findings({found}).size() + 1 ==
              model::rendered_bytes(found) + model::render_findings({}).size());
  }));
}

TEST_CASE("property: the same body gives the same findings, all rendered as JSON") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    const auto body = config_writer_of_chance{seed}.object(6);
    const auto kind = seed % 2 == 0 ? payload_kind::version : payload_kind::game;
    const auto once = model::validate(kind, body, {}, model::default_reference_names());
    const auto again =
        model::validate(kind, std::string(body), {}, model::default_reference_names());
    RC_ASSERT(once.has_value());
    RC_ASSERT(*once == *again);
    const auto rendered = model::render_findings(*once);
    RC_ASSERT(model::json_document::parse(rendered, 4).has_value());
  }));
}

TEST_CASE("property: the order of members changes no code") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    config_writer_of_chance chance{seed};
    auto members = chance.members(5);
    drop_repeated_names(members);
    const auto wrap = [&] {
      return version("{\"matchmaker\":" + config_writer_of_chance::joined(members) + "}");
    };
    const auto before =
        model::validate(payload_kind::version, wrap(), {}, model::default_reference_names());
    for (std::size_t i = members.size(); i > 1; --i)
      std::swap(members[i - 1], members[chance.below(i)]);
    const auto after =
        model::validate(payload_kind::version, wrap(), {}, model::default_reference_names());
    RC_ASSERT(before.has_value());
    RC_ASSERT(codes(*before) == codes(*after));
  }));
}

TEST_CASE("property: findings stand in document order until an object ends") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    const auto body = config_writer_of_chance{seed}.object(6);
    const auto findings =
        model::validate(payload_kind::version, body, {}, model::default_reference_names());
    RC_ASSERT(findings.has_value());
    std::size_t last = 0;
    for (const auto& found : *findings) {
      if (found.code == "required") continue;
      RC_ASSERT(found.offset >= last);
      last = found.offset;
    }
  }));
}
