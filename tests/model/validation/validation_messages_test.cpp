// What the messages of findings say. Which findings a body has is listed in the tables,
// tests/model/validation/*.json.
#include "model/json/json_document.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::model {
namespace {

using fixtures::contains;

std::vector<finding> findings_of(std::string_view body, const validation_rules& rules = {},
                                 payload_kind kind = payload_kind::version) {
  const auto findings = validate(kind, body, rules, default_reference_names());
  INFO(body.substr(0, 1'000));
  REQUIRE(findings.has_value());
  return *findings;
}

std::string version(std::string_view config) {
  return R"({"display_name":"v","config":)" + std::string(config) + "}";
}

std::string only_message(std::string_view config, const validation_rules& rules = {}) {
  const auto findings = findings_of(version(config), rules);
  REQUIRE(findings.size() == 1);
  return findings.front().message;
}

std::string of_runtime(const std::string& members, const validation_rules& rules = {}) {
  return only_message(R"({"matchmaker":{"docker":{)" + members + "}}}", rules);
}

/// A configuration whose action `find` has this verification.
std::string with_verification(const std::string& value) {
  return R"({"matchmaker":{"game_modes":{"m":{"actions":{"find":{"enabled":true,)"
         R"("verification":)" +
         value + "}}}}}}";
}

std::string with_captcha(const std::string& further_members) {
  return R"({"matchmaker":{"captcha":{"requests_before_reverify":1,"verification_ttl":1)" +
         further_members + "}}}";
}

/// A configuration and the message of its one finding, or a part of it.
struct said {
  const char* config;
  const char* message;
};

TEST_CASE("messages say what was found, what is allowed and what to write") {
  const auto [config, message] = GENERATE(values<said>({
      {R"({"matchmaker":{"max_players":"32"}})",
       "`max_players` must be an integer, but is the string `32`. Write the number without "
       "quotes."},
      // Without its quotes, the value would not be JSON.
      {R"({"matchmaker":{"max_players":"007"}})",
       "`max_players` must be an integer, but is the string `007`."},
      {R"({"matchmaker":{"max_players":12.5}})",
       "`max_players` must be an integer, but is the number `12.5`. Write a whole number."},
      {R"({"matchmaker":{"max_players":9223372036854775808}})",
       "`max_players` is `9223372036854775808`, which is not a signed 64-bit integer. Write a "
       "number from 1 to 256."},
      {R"({"matchmaker":{"idle_lobbies":{"min":0,"max":-1e400}}})",
       "`max` is `-1e400`, which is not a signed 64-bit integer. Write a number from 0 to 32."},
      {R"({"matchmaker":{"docker":{"env":{"A":1}}}})",
       "`env.A` must be a string, but is a number. Put it in double quotes."},
      {R"({"matchmaker":{"docker":{"args":[[]]}}})",
       "`args[0]` must be a string, but is an array."},
      {R"({"cdn":{"routes":"x"}})", "`routes` must be an array, but is a string."},
      {R"({"matchmaker":{"docker":{"args":"x"}}})",
       "`args` must be an array, but is a string. Put it in square brackets to make an array of "
       "one element."},
      {R"({"matchmaker":{"docker":{"ports":{"a":{"port":70000}}}}})",
       "`port` is `70000`, which is not a port. Write a number from 1 to 65535."},
      {R"({"engine":{"unreal":{}}})", "`game_module` is required, but is absent. Add a string."},
      {R"({"cdn":{"routes":[{"glob":"a","priority":1,"middlewares":[{"kind":{}}]}]}})",
       "`kind` must have `custom_headers`, its only member. Add it."},
      {R"({"matchmaker":{"docker":{},"container_runtime":{}}})",
       "`matchmaker` has both `docker` and `container_runtime`, two names of the same member. "
       "Keep one of them."},
      {R"({"engine":{"unity":{},"engine_a":{}}})",
       "`engine` has both `unity` and `engine_a`, two names of the same member. Keep one of "
       "them."},
      {R"({"scripts":{"a":"1","a":"2"}})",
       "`scripts` has the member `a` more than once. Keep one of them."},
      {R"({"docker":{}})", "`config` has no member `docker`. It belongs in `matchmaker`."},
  }));
  CHECK(only_message(config) == message);
}

TEST_CASE("messages name the entry or element that they are about, and what else fits there") {
  const auto [config, part] = GENERATE(values<said>({
      {R"({"matchmaker":{"game_modes":{"m":{"listable":"true"}}}})",
       "is the string `true`. Write it without quotes."},
      {R"({"matchmaker":{"game_modes":{"m":{"listable":"yes"}}}})",
       "is the string `yes`. Use true or false."},
      {R"({"matchmaker":{"game_modes":{"m":{"listable":1}}}})",
       "is the number `1`. Use true or false."},
      {R"({"matchmaker":{"docker":{"args":["a","b",1]}}})", "`args[2]` must be a string"},
      {R"({"matchmaker":{"docker":{"ports":{"game":{}}}}})",
       "`ports.game` has neither `port` nor "},
      {R"({"matchmaker":{"docker":{"ports":{"game":5}}}})", "`ports.game` must be an object"},
      {R"({"matchmaker":{"docker":{"env":{"1A":""}}}})",
       "The name `1A` in `env` is not valid. Use A to Z, a to z, 0 to 9 and `_`, without a digit "
       "at the start."},
      {R"({"matchmaker":{"docker":{"env":{"":""}}}})", "A name in `env` is empty. "},
      {R"({"matchmaker":{"docker":{"env":{"a b":1}}}})",
       "The entry `a b` of `env` must be a string"},
      {R"({"matchmaker":{"docker":{"env":{"`":1}}}})", "The entry \"`\" of `env` must be a string"},
      {R"({"cdn":{"routes":[5]}})", "`routes[0]` must be an object"},
      {R"({"cdn":{"routes":[{"glob":"a","priority":5000000000,"middlewares":[]}]}})",
       "Write a number from 0 to 100."},
      {R"({"matchmaker":{"game_modes":{"m":{"x":1}}}})", "`game_modes.m` has no member `x`."},
      {R"({"":1})", "`config` has no member `\"\"`. It can have: `cdn`, "},
      {R"({"matchmaker":{"image_id":"i"}})", "It belongs in `docker`."},
      {R"({"matchmaker":{"container_runtime":{},"args":[]}})",
       "It belongs in `container_runtime`."},
      {R"({"matchmaker":{"container_runtime":[]}})", "`container_runtime` must"},
      {R"({"matchmaker":{"docker":[]}})", "`docker` must be an object"},
      {R"({"matchmaker":{"zz":1}})", "`captcha`, `docker`, `game_modes`."},
      {R"({"matchmaker":{"zz":1,"container_runtime":{}}})", "`captcha`, `container_runtime`, "},
      {R"({"matchmaker":{"zz":1,"game_modes":{"m":{"container_runtime":{}}}}})",
       "`container_runtime`, "},
      {R"({"matchmaker":{"docker":{"network_mode":"host","ports":{"a":)"
       R"({"port":1,"proxy":"none"}}}}})",
       "`ports.a` has `\"proxy\": \"none\"`, but `https` (the default protocol) works only through "
       "the gateway."},
      {R"({"matchmaker":{"docker":{"network_mode":"host","ports":{"a":)"
       R"({"port":1,"proxy":"none","protocol":"https"}}}}})",
       "but `https` works only through the gateway."},
  }));
  CHECK(contains(only_message(config), part));
}

TEST_CASE("a message about a header names it, unless its name may be a whole line") {
  const auto headers = [](const std::string& entry) {
    return only_message(
        with_verification(R"({"url":"https://example.com","headers":{)" + entry + "}}"));
  };
  CHECK(contains(headers(R"("X-Key":5)"), "`headers.X-Key` must be a string"));
  CHECK(contains(headers(R"("X-Key: secret":5)"), "An entry of `headers` must be a string"));
  CHECK(contains(headers(R"("X-Key: secret":"")"), "A name in `headers` contains "));
  CHECK(contains(headers(R"("host":"")"), "A name in `headers` is `host`, a header that "));
}

TEST_CASE("a message with two names of the client stays within the limit of both") {
  validation_rules rules;
  rules.limits.echo = 8;
  rules.limits.game_mode_name = 100;
  const auto mode = R"({"matchmaker":{"game_modes":{")" + std::string(20, 'm') + "\":";
  CHECK(only_message(mode + "{\"" + std::string(20, 'x') + "\":1}}}}", rules)
            .starts_with("`game_modes.mmmm…` has no member `xxxx…`."));
  CHECK(only_message(mode + "1}}}", rules).starts_with("`game_modes.mmmmmmmm…` must be an object"));
}

TEST_CASE("a captcha's providers are named in the client's spelling, or in both") {
  CHECK(only_message(with_captcha("")) ==
        "`captcha` has none of `hcaptcha`, `turnstile` (also written `captcha_provider_a`, "
        "`captcha_provider_b`). Add one of them.");
  CHECK(contains(only_message(with_captcha(R"(,"captcha_provider_b":null)")),
                 "`captcha` has none of `hcaptcha`, `captcha_provider_b` (also"));
  // A misspelt choice is one finding, but what is no provider replaces none.
  CHECK(contains(only_message(with_captcha(R"(,"hcapcha":{})")), "`hcaptcha`?"));
  CHECK(findings_of(version(with_captcha(R"(,"x":{})"))).size() == 2);
  // Two providers could have this member.
  CHECK_FALSE(contains(only_message(with_captcha(
                           R"(,"hcaptcha":{"secret_key":"a","site_key":"b"},"secret_key":"a")")),
                       "belongs"));
}

TEST_CASE("messages name configured aliases where the client writes them") {
  validation_rules rules;
  rules.further_aliases.push_back({"container_runtime", "oci"});
  CHECK(
      only_message(R"({"matchmaker":{"oci":{},"docker":{}}})", rules) ==
      "`matchmaker` has both `oci` and `docker`, two names of the same member. Keep one of them.");
  CHECK(contains(only_message(R"({"matchmaker":{"oci":{},"zz":1}})", rules), "`captcha`, `oci`, "));
}

TEST_CASE("messages count one of a thing as one") {
  validation_rules rules;
  rules.limits.regions = 0;
  rules.limits.header_value_bytes = 0;
  rules.limits.env_name = 1;
  rules.limits.header_name_bytes = 1;
  rules.limits.version_display_name = 1;
  rules.limits.idle_lobbies_min_highest = 0;
  const auto header = [&](const std::string& members) {
    return only_message(R"({"cdn":{"routes":[{"glob":"a","priority":1,"middlewares":[{"kind":)"
                        R"({"custom_headers":{"headers":[{)" +
                            members + "}]}}}]}]}}",
                        rules);
  };
  CHECK(contains(only_message(R"({"matchmaker":{"regions":{"a":{}}}})", rules),
                 "`regions` has 1 entry. Keep at most 0;"));
  CHECK(contains(header(R"("name":"a","value":"b")"), "has 1 byte. "));
  CHECK(contains(header(R"("name":"","value":"")"), "Write the name of a header, 1 byte."));
  CHECK(contains(of_runtime(R"("env":{"":""})", rules), "Write 1 character."));
  CHECK(findings_of(R"({"display_name":"","config":{}})", rules).front().message ==
        "`display_name` is empty. Write 1 character.");
  CHECK(only_message(R"({"matchmaker":{"idle_lobbies":{"min":1,"max":1}}})", rules) ==
        "`min` is `1`, which is too high. Write 0.");
}

TEST_CASE("a member close to a known one is suggested, unless that one is there already") {
  const auto suggested = [](const std::string& opened, const std::string& members) {
    const auto message =
        only_message(opened + members +
                     std::string(static_cast<std::size_t>(std::ranges::count(opened, '{')), '}'));
    const auto at = message.find("Did you mean `");
    return at == message.npos ? "" : message.substr(at + 14, message.find('`', at + 14) - at - 14);
  };
  const std::string port = R"({"matchmaker":{"docker":{"ports":{"p":{)";
  const std::string matchmaker = R"({"matchmaker":{)";
  CHECK(suggested(port, R"("port":80,"proto":1)") == "protocol");
  CHECK(suggested(port, R"("port":80,"range":1)") == "port_range");
  CHECK(suggested(port, R"("port":80,"target":1)") == "");
  CHECK(suggested(port, R"("port":80,"prot":1)") == "protocol");
  CHECK(suggested(matchmaker, R"("maxPlayers":1)") == "max_players");
  CHECK(suggested(matchmaker, R"("dokcer":1)") == "docker");
  CHECK(suggested(matchmaker, R"("max_playrs":1)") == "max_players");
  CHECK(suggested(matchmaker, R"("max_playrs":1,"max_players":1)") == "");
  CHECK(suggested(matchmaker, R"("max_players":null,"max_playrs":1)") == "");
  CHECK(suggested(matchmaker, R"("container_runtim":{},"docker":{})") == "");
  CHECK(suggested(matchmaker, R"("max_players_partie":1,"max_players":1)") == "max_players_party");
  CHECK(suggested("{", "\"" + std::string(65, 'k') + "\":1") == "");
  // What one port has is not there in another.
  const auto findings = findings_of(version(
      R"({"matchmaker":{"docker":{"ports":{"a":{"port":1,"prot":1},"b":{"prot":1,"prots":1}}}}})"));
  REQUIRE(findings.size() == 4);
  CHECK_FALSE(contains(findings[0].message, "`port`?"));
  CHECK(contains(findings[1].message, "Did you mean `port`?"));
}

TEST_CASE("the first 32 findings get suggestions") {
  std::string members;
  for (int i = 0; i < 33; ++i)
    members += (i > 0 ? ",\"script" : "\"script") + std::to_string(i) + "\":1";
  const auto findings = findings_of(version("{" + members + "}"));
  REQUIRE(findings.size() == 33);
  CHECK(contains(findings[31].message, "Did you mean `scripts`?"));
  CHECK_FALSE(contains(findings[32].message, "Did you mean"));
}

TEST_CASE("suggestions have a budget of names, so that no catalog makes a small body slow") {
  auto names = default_reference_names();
  names.regions.emplace();
  for (int i = 1'000; i < 2'000; ++i)
    names.regions->push_back("region-" + std::to_string(i));
  std::string regions;
  for (int i = 0; i < 6; ++i)
    regions += (i > 0 ? ",\"regoin-100" : "\"regoin-100") + std::to_string(i) + "\":{}";
  const auto findings = validate(
      payload_kind::version, version(R"({"matchmaker":{"regions":{)" + regions + "}}}"), {}, names);
  REQUIRE(findings.has_value());
  REQUIRE(findings->size() == 6);
  for (std::size_t i = 0; i < findings->size(); ++i) {
    const auto meant = "Did you mean `region-100" + std::to_string(i) + "`?";
    CHECK(contains((*findings)[i].message, meant) == (i < 4));
    CHECK(contains((*findings)[i].message, "`region-1015` and 984 more."));
  }
}

TEST_CASE("a message echoes at most 64 characters, and nothing that hides or turns") {
  std::string name;
  for (int i = 0; i < 70; ++i)
    name += "é";
  const auto message = only_message("{\"" + name + "\":1}");
  CHECK(contains(message, name.substr(0, 128) + "…`"));
  CHECK_FALSE(contains(message, name.substr(0, 130)));
  CHECK(
      contains(only_message(R"({"a\u202eb\n\u0000\u200b":1})"), R"(`a\u202eb\u000a\u0000\u200b`)"));
  CHECK(contains(only_message(R"({"matchmaker":{"max_players":)" + std::string(1'000, '7') + "}}"),
                 "`" + std::string(64, '7') + "…`"));
}

TEST_CASE("no message shows a value that may be a secret") {
  const std::vector<std::string> configs{
      with_verification(R"("777secret")"),
      with_verification(R"({"url":"https://me:a/777secret@example.com","headers":{}})"),
      with_verification(R"({"url":"https://me:777secret/a@example.com","headers":{}})"),
      with_verification(R"({"url":"https://me:777secret#a@example.com","headers":{}})"),
      with_verification(R"({"url":"https://777secret.local/a@b","headers":{}})"),
      with_verification(R"({"url":"example.com/?token=777secret","headers":{}})"),
      with_verification(R"({"url":"https://example.com","headers":"Authorization: 777secret"})"),
      with_verification(R"({"url":"https://example.com","headers":{"Authorization":777}})"),
      with_verification(
          R"({"url":"https://example.com","headers":{"Authorization: 777secret":""}})"),
      with_captcha(R"(,"hcaptcha":"777secret")"),
      with_captcha(R"(,"hcaptcha":{"site_key":"a","secret_key":777})"),
      with_captcha(R"(,"hcaptcha":{"site_key":"a","secret_key":"777secret)" +
                   std::string(128, 'a') + "\"}"),
      R"({"matchmaker":{"captcha":"777secret"}})",
      R"({"matchmaker":{"docker":{"env":"KEY=777secret"}}})",
      R"({"matchmaker":{"docker":{"env":{"KEY":777}}}})",
      R"({"matchmaker":{"docker":{"args":[777]}}})",
      R"({"scripts":"777secret"})"};
  for (const auto& config : configs)
    CHECK_FALSE(contains(only_message(config), "777"));
}

TEST_CASE("names inside an ignored member are no part of a message about a repetition") {
  const auto findings =
      findings_of(R"({"display_name":"g","chosen":{"a":1,"a":2}})", {}, payload_kind::game);
  REQUIRE(findings.size() == 1);
  CHECK_FALSE(contains(findings.front().message, "chosen"));
}

// The list of findings.

TEST_CASE("the size of the list counts its findings as they are rendered") {
  const auto body = version(R"({"mind":1,"tëxt":"2"})");
  const auto all = findings_of(body);
  validation_rules rules;
  rules.limits.findings_bytes = 0;
  for (const auto& each : all)
    rules.limits.findings_bytes += rendered_bytes(each);
  CHECK(findings_of(body, rules) == all);
  --rules.limits.findings_bytes;
  REQUIRE(findings_of(body, rules).size() == 2);
  CHECK(findings_of(body, rules).back().code == "too-many-errors");
}

TEST_CASE("a list whose first finding has no room says where that is") {
  validation_rules rules;
  rules.limits.findings_bytes = 1'024;
  const auto body = version("{\"" + std::string(2'000, 'k') + "\":1}");
  const auto findings = findings_of(body, rules);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().code == "too-many-errors");
  CHECK(findings.front().message ==
        "The first error, at byte " + std::to_string(body.find("\"kkk")) +
            " of the body, is longer than the limit of 1024 bytes for all errors. Fix it, or "
            "shorten the names around it, and validate again.");
}

TEST_CASE("by default the list ends after 1,000 findings or 1 MiB") {
  std::string variables;
  for (int i = 0; i < 1'001; ++i)
    variables += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":1";
  const auto many = findings_of(version(R"({"cdn":{"build_env":{)" + variables + "}}}"));
  REQUIRE(many.size() == 1'001);
  CHECK(many[999].code == "wrong-type");
  CHECK(many.back().code == "too-many-errors");
  const auto large =
      findings_of(version(R"({"matchmaker":{"regions":{")" + std::string(400'000, 'k') +
                          R"(":{"a":1,"b":1,"c":1,"d":1,"idle_lobbies":{}}}}})"));
  REQUIRE(large.size() == 3);
  CHECK(large.back().code == "too-many-errors");
}

TEST_CASE(
    "a finding knows the offset of its value or name, of its object if the member is absent") {
  const auto unknown = version(R"({"mind":1,"mind":2,"scripts":{"":"a"}})");
  const auto names = findings_of(unknown);
  REQUIRE(names.size() == 3);
  CHECK(names[0].offset == unknown.find("\"mind"));
  CHECK(names[1].offset == unknown.rfind("\"mind"));
  CHECK(names[2].offset == unknown.find("\"\""));
  const auto body = version(R"({"matchmaker":{"tier": 7,"idle_lobbies": {"min":1}}})");
  const auto findings = findings_of(body);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].offset == body.find('7'));
  CHECK(findings[1].offset == body.find("{\"min"));
}

TEST_CASE("findings are rendered as the response") {
  CHECK(render_findings({}) == R"({"errors":[]})");
  CHECK(render_findings({{{"a", "\"\n\x01é"}, "c", "m", 0}, {{}, "d", "n", 0}}) ==
        R"({"errors":[{"path":["a","\"\n\u0001é"],"code":"c","message":"m"},)"
        R"({"path":[],"code":"d","message":"n"}]})");
}

} // namespace
} // namespace matchcloud::model
