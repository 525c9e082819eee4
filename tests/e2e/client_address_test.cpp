// The client address that a listing is made for: from the socket, a trusted proxy's header or a
// PROXY header; and that no client can choose its own.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/proxy_header_bytes.hpp"
#include "tests/service/shared_servers.hpp"

#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::network_bytes;
using matchcloud::fixtures::proxy_block;
using matchcloud::fixtures::proxy_v2;

/// The regions nearest to the locations in `world`; this machine's address is in Sydney.
const std::string london = "lon";
const std::string tokyo = "nrt";
const std::string sydney = "syd";

constexpr auto in_london = "192.0.2.7";
constexpr auto in_tokyo = "198.51.100.1";
constexpr auto trusted_peer = "127.0.0.1";
constexpr auto untrusted_peer = "127.0.0.2";

std::string nearest(const answer& listed) {
  INFO(listed.body);
  REQUIRE(listed.status == 200);
  const auto document = parse_json(listed.body);
  REQUIRE(document.IsObject());
  return text_at(document["regions"][0], "region_id");
}

std::string listing_request(std::string_view headers = {}) {
  return request("GET", regions_target, {}, headers);
}

/// The nearest region in the answer to a client at `from` that sends `bytes`, which end in one
/// request.
std::string nearest_to(const address& to, std::string_view bytes,
                       const std::string& from = trusted_peer) {
  raw_connection client{to, from};
  return nearest(client.ask(bytes));
}

std::string proxy_line(const std::string& fields) {
  return "PROXY " + fields + "\r\n";
}

std::string line_from(const std::string& source) {
  return proxy_line("TCP4 " + source + " 10.0.0.1 56324 443");
}

/// Trusts 127.0.0.1 and a second proxy, whose location is unknown.
const server& proxied_server() {
  shared_world(); // outlives what is constructed after it
  static const server only{{"--geoip", shared_world().geoip(), "--loops", "2", "--trusted-proxies",
                            "127.0.0.1,203.0.113.0/24", "--listen",
                            "127.0.0.1:0,127.0.0.1:0/proxy"}};
  return only;
}

const address& plain() {
  return proxied_server().listeners()[0];
}

const address& proxied() {
  return proxied_server().listeners()[1];
}

// -- headers ------------------------------------------------------------------

/// Every header from which some service takes a client's address.
std::vector<std::string> claims_of(const std::string& address) {
  std::vector<std::string> lines;
  for (const std::string name : {"X-Forwarded-For",
                                 "x-forwarded-for",
                                 "X-FORWARDED-FOR",
                                 "X-Real-IP",
                                 "True-Client-IP",
                                 "CF-Connecting-IP",
                                 "CF-Connecting-IPv6",
                                 "CF-Pseudo-IPv4",
                                 "X-Client-IP",
                                 "Client-IP",
                                 "X-Cluster-Client-IP",
                                 "Fastly-Client-IP",
                                 "Fly-Client-IP",
                                 "X-Azure-ClientIP",
                                 "X-Azure-SocketIP",
                                 "X-Original-Forwarded-For",
                                 "X-Envoy-External-Address",
                                 "X-Remote-IP",
                                 "X-Remote-Addr",
                                 "Remote-Addr",
                                 "REMOTE_ADDR",
                                 "X-Host",
                                 "X-ProxyUser-Ip",
                                 "WL-Proxy-Client-IP",
                                 "Proxy-Client-IP",
                                 "X-Appengine-User-Ip",
                                 "X-Forwarded",
                                 "Forwarded-For",
                                 "From",
                                 "PROXY"})
    lines.push_back(name + ": " + address + "\r\n");
  lines.push_back("Forwarded: for=" + address + "\r\n");
  lines.push_back("FORWARDED: For=\"" + address + ":80\";by=127.0.0.1\r\n");
  lines.push_back("Via: 1.1 " + address + "\r\n");
  lines.push_back("X-Forwarded-For: " + address + "\r\nX-Forwarded-For: " + address + "\r\n");
  lines.push_back("X-Forwarded-For: " + address + ", 127.0.0.1\r\nForwarded: for=" + address +
                  ", for=127.0.0.1\r\n");
  return lines;
}

TEST_CASE("no header of a client that is not behind a trusted proxy changes its address",
          "[operations]") {
  const auto& to = located_server().data();
  for (const auto& claim : claims_of(in_london)) {
    INFO(claim);
    CHECK(nearest_to(to, listing_request(claim), untrusted_peer) == sydney);
  }
  // All headers that may be combined, in one request.
  std::string all;
  for (const auto& claim : claims_of(in_london))
    all += claim;
  CHECK(nearest_to(to, listing_request(all), untrusted_peer) == sydney);
}

TEST_CASE("behind a trusted proxy only what it added counts", "[operations]") {
  const auto& to = located_server().data();
  const std::string seen_by_proxy = in_tokyo;
  for (const std::string forged : {"192.0.2.7", "192.0.2.7, 127.0.0.1", "192.0.2.7,", ",", "", "\"",
                                   "\"192.0.2.7", "for=192.0.2.7", "unknown", "192.0.2.7;", "::1",
                                   "[2001:db8::1]:80", "192.0.2.7, 192.0.2.7, 192.0.2.7"}) {
    INFO(forged);
    CHECK(nearest_to(to, listing_request("X-Forwarded-For: " + forged + ", " + seen_by_proxy +
                                         "\r\n")) == tokyo);
    CHECK(nearest_to(to, listing_request("X-Forwarded-For: " + forged + "\r\nX-Forwarded-For: " +
                                         seen_by_proxy + "\r\n")) == tokyo);
  }
  for (const std::string forged :
       {"for=192.0.2.7", "for=\"192.0.2.7", "for=\"", "\\", "\"\\", "for=192.0.2.7;x=\"", ";;;", "",
        "for=192.0.2.7, for=127.0.0.1", "for=_x", "secret=\"a, for=192.0.2.7"}) {
    INFO(forged);
    CHECK(nearest_to(to, listing_request("Forwarded: " + forged + ", for=" + seen_by_proxy +
                                         "\r\n")) == tokyo);
    CHECK(nearest_to(to, listing_request("Forwarded: " + forged + "\r\nForwarded: for=\"" +
                                         seen_by_proxy + ":4711\";proto=https\r\n")) == tokyo);
  }
  // Headers that no trusted proxy is configured to set are ignored behind a proxy, too.
  for (const std::string name : {"X-Real-IP", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP"})
    CHECK(nearest_to(to, listing_request(name + ": " + in_london + "\r\nX-Forwarded-For: " +
                                         seen_by_proxy + "\r\n")) == tokyo);
}

TEST_CASE("every way in which proxies write a client's address is read", "[operations]") {
  const auto& to = located_server().data();
  for (const std::string header :
       {"X-Forwarded-For: 198.51.100.1:4711", "X-Forwarded-For:198.51.100.1",
        "X-Forwarded-For: \t 198.51.100.1 \t", "X-Forwarded-For: ::ffff:198.51.100.1",
        "X-Forwarded-For: ::FFFF:C633:6401", "X-Forwarded-For: [::ffff:198.51.100.1]:4711",
        "X-Forwarded-For: 198.51.100.1, ::ffff:127.0.0.1, 127.0.0.1:80",
        "Forwarded: for=198.51.100.1", "Forwarded: FOR=\"198.51.100.1:_port\"",
        "Forwarded: by=127.0.0.1;for=198.51.100.1;host=a;proto=https",
        "Forwarded: for=198.51.100.1, for=\"[::ffff:127.0.0.1]\"",
        "Forwarded: for=\"\\198.51.100.1\"",
        // Empty elements are skipped (RFC 9110 section 5.6.1.2).
        "X-Forwarded-For: 192.0.2.7, 198.51.100.1,, 127.0.0.1", "X-Forwarded-For: 198.51.100.1, ",
        "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For:",
        "Forwarded: for=192.0.2.7,,for=198.51.100.1,,for=127.0.0.1",
        "Forwarded: ,for=198.51.100.1,", "X-Forwarded-For: ,\r\nForwarded: for=198.51.100.1"}) {
    INFO(header);
    CHECK(nearest_to(to, listing_request(header + "\r\n")) == tokyo);
  }
  for (const std::string header :
       {"X-Forwarded-For: 2001:db8::1", "X-Forwarded-For: 2001:DB8::1",
        "X-Forwarded-For: [2001:db8::1]", "X-Forwarded-For: [2001:db8::1]:4711",
        "Forwarded: for=\"[2001:db8::1]\"", "Forwarded: For=\"[2001:DB8:0::1]:4711\""}) {
    INFO(header);
    CHECK(nearest_to(to, listing_request(header + "\r\n")) == london);
  }
  // A client that its proxy hides is located at the proxy.
  for (const std::string header :
       {"Forwarded: for=unknown", "Forwarded: for=_hidden", "Forwarded: for=192.0.2.7, for=unknown",
        "Forwarded: for=192.0.2.7, proto=https", "X-Forwarded-For: 192.0.2.7, unknown",
        "X-Forwarded-For: 192.0.2.7, fe80::1%eth0", "X-Forwarded-For: ,", "Forwarded: ,,"}) {
    INFO(header);
    CHECK(nearest_to(to, listing_request(header + "\r\n")) == sydney);
  }
}

// -- PROXY protocol -----------------------------------------------------------

TEST_CASE("a PROXY header of a trusted proxy tells the client's address", "[operations]") {
  const auto get = listing_request();
  CHECK(nearest_to(proxied(), line_from(in_london) + get) == london);
  CHECK(nearest_to(proxied(), line_from(in_tokyo) + get) == tokyo);
  CHECK(nearest_to(proxied(), proxy_line("TCP6 2001:db8::1 ::1 1 2") + get) == london);
  CHECK(nearest_to(proxied(), proxy_line("TCP6 ::ffff:198.51.100.1 ::1 1 2") + get) == tokyo);
  CHECK(nearest_to(proxied(), proxy_v2(in_london, "10.0.0.1") + get) == london);
  CHECK(nearest_to(proxied(), proxy_v2("2001:db8::1", "::1", "\x04\x05") + get) == london);
  CHECK(nearest_to(proxied(), proxy_v2(in_tokyo, "10.0.0.1", std::string(4'000, '\x04')) + get) ==
        tokyo);
}

TEST_CASE("a PROXY header that names nobody keeps the socket's peer", "[operations]") {
  const auto get = listing_request();
  for (const auto& header :
       {proxy_line("UNKNOWN"), proxy_line("UNKNOWN 192.0.2.7 10.0.0.1 1 2"),
        proxy_block(0x20, 0x00, ""), proxy_block(0x20, 0x11, network_bytes(in_london) + "12345678"),
        proxy_block(0x21, 0x00, ""), proxy_block(0x21, 0x31, std::string(216, 's'))})
    CHECK(nearest_to(proxied(), header + get) == sydney);
}

TEST_CASE("a client that its proxy does not know cannot name itself in a header", "[operations]") {
  const auto get = listing_request("X-Forwarded-For: 192.0.2.7\r\n");
  CHECK(nearest_to(proxied(), proxy_line("UNKNOWN") + get) == sydney);
  CHECK(nearest_to(proxied(), proxy_block(0x21, 0x00, "") + get) == sydney);
  // A LOCAL header is about the proxy's own connection.
  CHECK(nearest_to(proxied(), proxy_block(0x20, 0x00, "") + get) == london);
}

TEST_CASE("a PROXY header of somebody who is not trusted must be well-formed and is ignored",
          "[operations]") {
  const auto get = listing_request();
  CHECK(nearest_to(proxied(), line_from(in_london) + get, untrusted_peer) == sydney);
  CHECK(nearest_to(proxied(), proxy_v2(in_london, "10.0.0.1") + get, untrusted_peer) == sydney);
  // A PROXY header that names a trusted proxy does not make forwarding headers trusted.
  CHECK(nearest_to(proxied(),
                   line_from("203.0.113.1") + listing_request("X-Forwarded-For: 192.0.2.7\r\n"),
                   untrusted_peer) == sydney);
  raw_connection client{proxied(), untrusted_peer};
  CHECK(client.ask(get).status == 400);
}

TEST_CASE("forwarding headers behind a PROXY header count where it names a trusted proxy",
          "[operations]") {
  const auto by_headers = listing_request("X-Forwarded-For: 198.51.100.1, 192.0.2.7\r\n");
  CHECK(nearest_to(proxied(), line_from("203.0.113.1") + by_headers) == london);
  CHECK(nearest_to(proxied(), proxy_v2("203.0.113.1", "10.0.0.1") + by_headers) == london);
  CHECK(nearest_to(proxied(), line_from("203.0.113.1") +
                                  listing_request("Forwarded: for=\"[2001:db8::1]:80\"\r\n")) ==
        london);
  // Headers that the client itself sent are ignored when the PROXY header names the client.
  for (const auto& claim : claims_of(in_london)) {
    INFO(claim);
    CHECK(nearest_to(proxied(), line_from(in_tokyo) + listing_request(claim)) == tokyo);
  }
}

TEST_CASE("requests behind a PROXY header may be pipelined, and all are its client's",
          "[lifecycle]") {
  raw_connection client{proxied(), trusted_peer};
  std::string all = proxy_v2(in_tokyo, "10.0.0.1");
  for (int i = 0; i < 20; ++i)
    all += listing_request();
  client.send(all);
  for (int i = 0; i < 20; ++i)
    CHECK(nearest(client.receive()) == tokyo);
  CHECK(nearest(client.ask(listing_request())) == tokyo);
}

TEST_CASE("a PROXY header may come in single bytes", "[lifecycle]") {
  for (const auto& header : {line_from(in_london), proxy_v2(in_london, "10.0.0.1", "\x04\x05")}) {
    raw_connection client{proxied(), trusted_peer};
    for (const char& byte : header + listing_request())
      client.send({&byte, 1});
    CHECK(nearest(client.receive()) == london);
  }
}

TEST_CASE("what is no PROXY header is told what is expected, and closed", "[limits]") {
  for (const auto& bytes :
       {listing_request(), proxy_line("TCP4 192.0.2.7 10.0.0.1 1"),
        proxy_line("TCP4 2001:db8::1 ::1 1 2"), proxy_line("TCP4 192.0.2.7 10.0.0.1 1 65536"),
        std::string{"PROXY TCP4 192.0.2.7 10.0.0.1 1 2\n"},
        proxy_block(0x11, 0x11, std::string(12, 'a')),
        proxy_block(0x22, 0x11, std::string(12, 'a')),
        proxy_block(0x21, 0x11, std::string(11, 'a')),
        proxy_block(0x21, 0x00, std::string(4'097, 'a')), std::string{"\x16\x03\x01\x02"}}) {
    for (const auto* from : {trusted_peer, untrusted_peer}) {
      raw_connection client{proxied(), from};
      client.send(bytes);
      const auto refused = client.receive();
      INFO(refused.body);
      CHECK(refused.status == 400);
      CHECK(refused.problem_code() == "request_malformed");
      CHECK(refused.body.find("expects a PROXY protocol header") != std::string::npos);
      CHECK(refused.header("connection") == "close");
      CHECK(client.closed());
    }
  }
}

TEST_CASE("a PROXY header on a listener that expects none is no request", "[limits]") {
  for (const auto& header : {line_from(in_london), proxy_v2(in_london, "10.0.0.1")}) {
    raw_connection client{plain(), trusted_peer};
    client.send(header + listing_request());
    CHECK(client.receive().status == 400);
    CHECK(client.closed());
  }
  raw_connection second{proxied(), trusted_peer};
  second.send(line_from(in_london) + line_from(in_tokyo) + listing_request());
  CHECK(second.receive().status == 400);
  CHECK(second.closed());
}

TEST_CASE("a health check that connects and leaves is closed without a word", "[lifecycle]") {
  for (const auto& bytes : {std::string{}, proxy_block(0x20, 0x00, "")}) {
    raw_connection client{proxied(), trusted_peer};
    client.send(bytes);
    client.finish();
    CHECK(client.closed());
  }
}

TEST_CASE("who connects to a PROXY listener and is silent has a head's time", "[limits]") {
  const server hasty{{"--listen", "127.0.0.1:0/proxy", "--head-timeout-ms", "3000",
                      "--idle-timeout-ms", "600000"}};
  raw_connection silent{hasty.data()};
  raw_connection slow{hasty.data()};
  slow.send("PROXY TCP4 ");
  raw_connection idle{hasty.data()};
  idle.send(proxy_line("UNKNOWN"));
  CHECK(idle.ask(listing_request()).status == 200); // from now on the connection may be idle
  CHECK(silent.closed());
  CHECK(slow.receive().problem_code() == "head_timeout");
  CHECK(slow.closed());
  CHECK(idle.ask(listing_request()).status == 200);
}

TEST_CASE("a listener says that it expects PROXY headers", "[operations]") {
  child_process started{{"serve", "--data-dir", shared_world().data_dir(), "--ops-listen",
                         "127.0.0.1:0", "--listen", "127.0.0.1:0/proxy,127.0.0.1:0"}};
  const auto first = started.next_line();
  const auto second = started.next_line();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->starts_with("listening on http://127.0.0.1:"));
  CHECK(first->ends_with(" (PROXY protocol)"));
  CHECK(second->find("PROXY") == std::string::npos);
  CHECK(started.says("expects PROXY protocol headers, but no proxy is trusted"));
  // Nobody could open the URLs in avatar lists.
  CHECK(started.says("only a proxy is admitted; set --public-url"));
}

TEST_CASE("the transport httplib refuses to expect PROXY headers", "[operations]") {
  const auto refused =
      run({"serve", "--data-dir", shared_world().data_dir(), "--ops-listen", "127.0.0.1:0",
           "--listen", "127.0.0.1:0/proxy", "--transport", "httplib"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("--listen = \"127.0.0.1:0/proxy\"") != std::string::npos);
  CHECK(refused.errors.find("the transport httplib supports neither") != std::string::npos);
}

} // namespace
