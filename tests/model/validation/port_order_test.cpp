// Checks the table of docs/validation.md, "Ports", row by row, against every port that can be
// written.
#include "model/validation/validation.hpp"

#include "tests/catch.hpp"

#include <array>
#include <string>
#include <vector>

namespace matchcloud::model {
namespace {

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
  const auto findings = validate(payload_kind::version, body, {}, default_reference_names());
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

TEST_CASE("the first condition on a port that applies is said, and what it shares besides") {
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
} // namespace matchcloud::model
