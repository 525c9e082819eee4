// Follows the advice of messages as a client would, and looks at what is found next: advice that
// leads into the next finding is half of an advice.
#include "model/json/rapidjson.hpp"
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace matchcloud;
using model::payload_kind;

namespace {

std::vector<model::finding> advised_findings(std::string_view body,
                                             const model::validation_rules& rules) {
  const auto findings =
      model::validate(payload_kind::version, body, rules, model::default_reference_names());
  INFO(body);
  REQUIRE(findings.has_value());
  return *findings;
}

std::string advised_version(const std::string& config) {
  return R"({"display_name":"v","config":)" + config + "}";
}

TEST_CASE("messages about missing runtimes and images use the client's name for a runtime") {
  model::validation_rules rules;
  rules.complete = true;
  const auto message = [&](const std::string& config) {
    const auto findings = advised_findings(advised_version(config), rules);
    REQUIRE(findings.size() == 1);
    return findings.front().message;
  };
  CHECK(message("{}") ==
        "`matchmaker` is absent, so there is no game mode. Add it, with a game mode and a `docker` "
        "that has the `image_id` of an uploaded image.");
  CHECK(message(R"({"matchmaker":{"container_runtime":{}}})") ==
        "`game_modes` has no game mode. Add one, with a `container_runtime` that has the "
        "`image_id` of an uploaded image.");
  CHECK(message(R"({"matchmaker":{"docker":{"image_id":"i"},"game_modes":{}}})")
            .ends_with("has no game mode. Add one."));
  CHECK(message(R"({"matchmaker":{"game_modes":{"duel":{}}}})") ==
        "`game_modes.duel` has no `docker`, and neither has the matchmaker. Add one to either, "
        "with the `image_id` of an uploaded image.");
  const std::string other = R"("b":{"container_runtime":{"image_id":"i"}})";
  CHECK(message(R"({"matchmaker":{"game_modes":{"a":{},)" + other + "}}}")
            .starts_with("`game_modes.a` has no `container_runtime`, and neither has "));
  CHECK(
      message(R"({"matchmaker":{"docker":{"image_id":"i"},"game_modes":{"ctf":{"docker":{}}}}})") ==
      "`game_modes.ctf` has its own `docker`, which replaces the matchmaker's (except `env`), "
      "but it has no `image_id`. Add the id of an uploaded image, or remove `docker` from the "
      "mode.");
  // Without its own runtime the mode would lack one.
  CHECK(message(R"({"matchmaker":{"game_modes":{"ctf":{"docker":{}}}}})")
            .ends_with("Add the id of an uploaded image."));
}

// Ports: the conditions depend on each other, so that each message says all steps to either kind of
// port.

/// The members of a runtime with one port `p`; empty where a member is absent.
struct port_choice {
  std::string network_mode;
  std::string protocol;
  std::string proxy;
  std::string port;
  std::string range;

  std::string body() const {
    std::string members;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) members += (members.empty() ? "\"" : ",\"") + name + "\":" + value;
    };
    add("protocol", protocol);
    add("proxy", proxy);
    add("port", port);
    add("port_range", range);
    return advised_version(R"({"matchmaker":{"docker":{)" +
                           (network_mode.empty() ? "" : "\"network_mode\":" + network_mode + ",") +
                           R"("ports":{"p":{)" + members + "}}}}}");
  }
};

/// Takes the steps that a part of a message names.
port_choice with_steps(port_choice port, const std::string& advice, bool is_about_port,
                       bool is_about_range) {
  const auto says = [&](std::string_view step) { return advice.find(step) != std::string::npos; };
  const std::string good_range = R"({"min":26000,"max":26001})";
  if (says("emove `proxy`")) port.proxy.clear();
  if (says("`\"proxy\": \"none\"`")) port.proxy = "\"none\"";
  if (says("et that next to `ports`") || says("`\"network_mode\": \"host\"` next to"))
    port.network_mode = "\"host\"";
  if (says("et `protocol` to") || says("`protocol` to `tcp` or `udp`")) port.protocol = "\"udp\"";
  if (says("`port_range` within")) port.range = good_range;
  if (says("in place of `port`") && !says("in place of `port_range`")) port.port.clear();
  if (says("emove `port`")) port.port.clear();
  if (says("and `port_range`") || says("emove `port_range`")) port.range.clear();
  if (says("single `port` in place of `port_range`") ||
      (is_about_range && says("single `port` in its place"))) {
    port.range.clear();
    port.port = "80";
  }
  if (is_about_port && says("in its place")) port.port.clear();
  if (says("dd `port`")) port.port = "80";
  return port;
}

std::vector<std::string> parts_of(std::string advice) {
  std::vector<std::string> parts;
  for (const std::string separator : {", or ", "; or "})
    if (const auto at = advice.find(separator); at != std::string::npos) {
      parts.push_back(advice.substr(0, at));
      parts.push_back(advice.substr(at + separator.size()));
      return parts;
    }
  return {std::move(advice)};
}

bool is_about_end(const model::finding& found) {
  return found.path.back() == "min" || found.path.back() == "max";
}

/// The range with both ends: a missing one is the same as the other one.
std::string completed(const std::string& range) {
  rapidjson::Document ends;
  ends.Parse(range.c_str());
  if (ends.MemberCount() == 2) return range;
  const auto end = std::to_string(ends.ObjectEmpty() ? 26'000 : ends.MemberBegin()->value.GetInt());
  return R"({"min":)" + end + R"(,"max":)" + end + "}";
}

/// Checks the advice of the one finding about `port`, besides those of ends that its range lacks;
/// returns how many ways out it names.
std::size_t check_ways_out(const port_choice& port, const model::validation_rules& rules) {
  auto findings = advised_findings(port.body(), rules);
  INFO(port.body());
  std::erase_if(findings, is_about_end);
  if (findings.empty()) return 0;
  REQUIRE(findings.size() == 1);
  const auto& found = findings.front();
  INFO(found.message);
  // The range itself is chosen by the client, within what the message says.
  if (found.code == "out-of-range") return 1;
  const auto advice = found.message.substr(found.message.find(". ") + 2);
  const auto parts = parts_of(advice);
  auto whole = port;
  if (!port.range.empty()) whole.range = completed(port.range);
  for (const auto& part : parts) {
    INFO(part);
    const auto next =
        with_steps(whole, part, found.path.back() == "port", found.path.back() == "port_range");
    INFO(next.body());
    CHECK(next.body() != port.body());
    CHECK(advised_findings(next.body(), rules).empty());
  }
  return parts.size();
}

TEST_CASE("every way out that a message about a port names leads out") {
  const auto edition =
      GENERATE(model::service_edition::open_source, model::service_edition::hosted);
  model::validation_rules rules;
  rules.edition = edition;
  const bool is_hosted = edition == model::service_edition::hosted;
  std::size_t ways = 0;
  for (const std::string network_mode : {"", "\"bridge\"", "\"host\""}) {
    // The hosted edition has no such mode, which is a finding of its own.
    if (is_hosted && network_mode == "\"host\"") continue;
    for (const std::string protocol :
         {"", "\"http\"", "\"https\"", "\"tcp\"", "\"tcp_tls\"", "\"udp\""})
      for (const std::string proxy : {"", "\"gateway\"", "\"none\""})
        for (const std::string port : {"", "80"})
          for (const std::string range :
               {"", R"({"min":26000,"max":26001})", R"({"min":1,"max":2})", R"({"min":26000})",
                R"({"min":10})", R"({"min":32000})", R"({"max":31999})", R"({"max":10})",
                R"({"max":32000})", "{}"})
            ways += check_ways_out({network_mode, protocol, proxy, port, range}, rules);
  }
  CHECK(ways > 400);
}

TEST_CASE("advice to give up the host's network says what the ports lose") {
  model::validation_rules rules;
  rules.edition = model::service_edition::hosted;
  const auto message = [&](const std::string& proxy) {
    const auto findings = advised_findings(
        advised_version(R"({"matchmaker":{"docker":{"network_mode":"host","ports":{"p":{"proxy":)" +
                        proxy + R"(,"protocol":"udp","port_range":{"min":26000,"max":26001}}}}}})"),
        rules);
    REQUIRE_FALSE(findings.empty());
    CHECK(findings.front().code == "not-available");
    return findings.front().message;
  };
  CHECK(message("\"none\"")
            .ends_with("Use `bridge`, and neither `\"proxy\": \"none\"` nor "
                       "`port_range` in `ports`."));
  CHECK(message("null").ends_with("Use `bridge`."));
  for (const auto* port :
       {R"({"port":1,"proxy":"none"})", R"({"port_range":{"min":26000,"max":26001}})"}) {
    const auto body =
        advised_version(R"({"matchmaker":{"docker":{"ports":{"a":)" + std::string{port} + "}}}}");
    const auto says = [&](const model::validation_rules& by, std::string_view part) {
      return advised_findings(body, by).front().message.find(part) != std::string::npos;
    };
    CHECK_FALSE(says(rules, "\"host\""));
    CHECK(says({}, "`\"network_mode\": \"host\"`"));
  }
}

// The table of docs/validation.md, "Ports", row by row, against every port that can be written.

struct port {
  std::string number;
  std::string range;
  std::string protocol;
  std::string proxy;

  bool has_number() const { return !number.empty(); }
  bool has_range() const { return !range.empty(); }
  bool is_proxied() const { return proxy != "none"; }
  bool is_for_gateway() const { return protocol != "tcp" && protocol != "udp"; }
};

std::string text_of(const port& written) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ",") + ("\"" + name + "\":") + value;
  };
  add("port", written.number);
  add("port_range", written.range);
  add("protocol", written.protocol.empty() ? "" : "\"" + written.protocol + "\"");
  add("proxy", written.proxy.empty() ? "" : "\"" + written.proxy + "\"");
  return "{" + text + "}";
}

constexpr const char* inside = R"({"min":26000,"max":26001})";
constexpr const char* outside = R"({"min":25999,"max":26001})";

/// The first row that applies to a port labelled `b`, as `PATH CODE`; empty if none applies.
std::string first_row(const port& written, bool on_host) {
  if (!written.has_number() && !written.has_range()) return "b required";
  if (written.has_number() && written.has_range()) return "b conflicting";
  if (written.is_proxied()) return written.has_range() ? "b/port_range unsupported-port-range" : "";
  if (!on_host) return "b needs-host-network";
  if (written.is_for_gateway()) return "b needs-gateway";
  if (written.has_number()) return "b/port unsupported-port";
  return written.range == outside ? "b/port_range out-of-range" : "";
}

/// The expected findings: the first row, plus those that follow from the two ports being identical.
std::vector<std::string> expected(const port& written, bool on_host) {
  std::vector<std::string> rows;
  const auto first = first_row(written, on_host);
  const bool is_about_both = first.ends_with("required") || first.ends_with("conflicting");
  if (is_about_both) rows.push_back(first);
  if (written.has_number()) rows.emplace_back("b/port not-unique");
  if (!is_about_both && !first.empty()) rows.push_back(first);
  if (written.has_range() && !written.is_proxied() && on_host)
    rows.emplace_back("b/port_range ranges-overlap");
  return rows;
}

/// The findings for port `b`, which is written exactly like port `a` before it.
std::vector<std::string> said_of(const port& written, const std::string& network) {
  const auto both = R"({"a":)" + text_of(written) + R"(,"b":)" + text_of(written) + "}";
  const auto body = R"({"display_name":"v","config":{"matchmaker":{"docker":{)" + network +
                    R"("ports":)" + both + "}}}}";
  const auto findings =
      model::validate(payload_kind::version, body, {}, model::default_reference_names());
  REQUIRE(findings.has_value());
  std::vector<std::string> said;
  for (const auto& each : *findings) {
    REQUIRE(each.path.size() >= 5);
    if (each.path[4] != "b") continue;
    said.push_back("b" + (each.path.size() > 5 ? "/" + each.path[5] : std::string{}) + " " +
                   std::string{each.code});
  }
  return said;
}

TEST_CASE(
    "a port gets a finding for the first row of the table that applies, and for what it shares") {
  std::size_t ports = 0;
  for (const std::string number : {"", "26000"})
    for (const std::string range : {"", inside, outside})
      for (const std::string protocol : {"", "http", "https", "tcp", "tcp_tls", "udp"})
        for (const std::string proxy : {"", "gateway", "none"})
          for (const std::string network :
               {"", R"("network_mode":"bridge",)", R"("network_mode":"host",)"}) {
            const port written{number, range, protocol, proxy};
            INFO(network << text_of(written));
            CHECK(said_of(written, network) ==
                  expected(written, network.find("host") != std::string::npos));
            ++ports;
          }
  CHECK(ports == 324);
}

} // namespace
