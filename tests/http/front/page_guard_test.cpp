#include "http/front/routes.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"

#include <string>
#include <vector>

namespace matchcloud::http {
namespace {

using base::errc;
using fixtures::contains;

request from(std::string_view host, std::string_view origin = {}) {
  request made;
  made.method = method::get;
  made.target = "/healthz";
  made.set(header::host, host);
  if (!origin.empty()) made.set(header::origin, origin);
  return made;
}

TEST_CASE("localhost and addresses are own hosts of the ops plane") {
  for (const std::string host :
       {"localhost", "LocalHost", "LOCALHOST:8081", "127.0.0.1", "127.0.0.1:1", "10.1.2.3:80",
        "[::1]", "[::1]:8081", "[2001:db8::1]:65535"}) {
    CAPTURE(host);
    CHECK(is_own_host(host));
  }
  for (const std::string host :
       {"", "localhost.", "localhost.evil.example", "evil.example", "evil.example:8081",
        "localhost:", "localhost:80a", "localhost:123456", "localhost:80:80",
        "127.0.0.1.evil.example", "::1", "[127.0.0.1]", "[::1", "[::1]8081", "[localhost]", "127.1",
        "0x7f000001", "2130706433"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host));
  }
}

TEST_CASE("a page is let in where it is of the ops plane itself") {
  CHECK_FALSE(check_operator(from("localhost:8081")));
  CHECK_FALSE(check_operator(from("localhost:8081", "http://localhost:8081")));
  CHECK_FALSE(check_operator(from("LocalHost:8081", "HTTP://localhost:8081")));
  for (const std::string origin :
       {"null", "http://localhost", "http://localhost:8082", "https://localhost:8081",
        "http://127.0.0.1:8081", "http://localhost:8081/", "http://localhost:8081.evil.example",
        "http://localhost:8081, http://evil.example"}) {
    CAPTURE(origin);
    const auto why = check_operator(from("localhost:8081", origin));
    REQUIRE(why);
    CHECK(why->code == errc::origin_not_allowed);
  }
  const auto rebound = check_operator(from("evil.example", "http://evil.example"));
  REQUIRE(rebound);
  CHECK(rebound->code == errc::host_not_allowed);
}

TEST_CASE("another site may link to the ops plane, but not embed or read it") {
  auto head = from("localhost:8081");
  head.set(header::sec_fetch_site, "cross-site");
  const auto why = check_operator(head);
  REQUIRE(why);
  CHECK(why->code == errc::origin_not_allowed);
  CHECK_FALSE(check_operator(head, true));
  for (const std::string site : {"same-origin", "same-site", "none"}) {
    head.set(header::sec_fetch_site, site);
    CHECK_FALSE(check_operator(head));
  }
}

TEST_CASE("configured names of the ops plane match in any case and with a final dot") {
  const std::vector<std::string> names{"My_Service", "Ops.Example.", "https://tls.example"};
  for (const std::string host : {"my_service:8081", "MY_SERVICE", "my_service.", "ops.example",
                                 "OPS.example.:8081", "tls.example."}) {
    CAPTURE(host);
    CHECK_FALSE(check_operator(from(host), false, names));
  }
  for (const std::string host : {"my-service", "my_service..", "ops.example.evil", ".ops.example",
                                 "ops.example:80a", "_", "."}) {
    CAPTURE(host);
    CHECK(check_operator(from(host), false, names));
  }
  CHECK_FALSE(check_operator(from("Ops.Example.", "http://ops.example."), false, names));
  CHECK_FALSE(check_operator(from("tls.example.", "https://tls.example."), false, names));
  // Proxies take the dot off one of them.
  CHECK_FALSE(check_operator(from("ops.example.", "http://ops.example"), false, names));
  CHECK_FALSE(check_operator(from("ops.example:81", "http://ops.example.:81"), false, names));
  CHECK(check_operator(from("ops.example:81", "http://ops.example:82"), false, names));
  CHECK(check_operator(from("ops.example", "https://ops.example"), false, names));
}

TEST_CASE("an origin's host is in lower case, without its port and final dot") {
  CHECK(host_of_origin("null").empty());
  CHECK(host_of_origin("http://[::1]:80") == "[::1]");
  CHECK(host_of_origin("https://Play.Example.") == "play.example");
  CHECK(host_of_origin("https://play.example.:8080") == "play.example");
  CHECK(host_of_origin("https://play.example..") == "play.example.");
}

const std::vector<std::string> hosts{"match.example", "https://tls.example"};

/// With a namespace that registered `play.example`.
model::catalog registered() {
  model::catalog made;
  made.namespaces.push_back({});
  made.namespaces.back().domains = {"play.example"};
  made.index_domains();
  return made;
}

TEST_CASE("a game's data needs a Host of this machine or a configured name") {
  for (const std::string host : {"localhost:8080", "127.0.0.1", "[::1]:80", "192.0.2.1",
                                 "match.example", "MATCH.example:8080", "tls.example"}) {
    CAPTURE(host);
    CHECK_FALSE(check_local_caller(from(host), hosts, nullptr));
  }
  for (const std::string host : {"rebound.example", "match.example.evil", "", "localhost."}) {
    CAPTURE(host);
    const auto why = check_local_caller(from(host), hosts, nullptr);
    REQUIRE(why);
    CHECK(why->code == errc::host_not_allowed);
    CHECK(contains(why->detail, "data-hosts"));
  }
  request old;
  old.http_1_0 = true;
  CHECK_FALSE(check_local_caller(old, hosts, nullptr)); // no browser sends none
}

TEST_CASE("a game's data is for local, own and registered pages") {
  const auto known = registered();
  for (const std::string origin :
       {"http://localhost:3000", "https://LOCALHOST", "http://127.0.0.1:5173", "http://[::1]:1",
        "https://match.example", "http://tls.example:81", "https://play.example",
        "http://Play.example:8000", "http://10.0.0.9:8080"}) {
    CAPTURE(origin);
    CHECK_FALSE(check_local_caller(from("10.0.0.9:8080", origin), hosts, &known));
  }
  for (const std::string origin :
       {"null", "https://evil.example", "http://localhost.evil.example", "http://192.0.2.1",
        "http://[2001:db8::1]", "file://", "https://play.example/x", "https://play.example.evil",
        "ftp://localhost", "http://10.0.0.9:8081", "https://evil.example, http://localhost"}) {
    CAPTURE(origin);
    const auto why = check_local_caller(from("10.0.0.9:8080", origin), hosts, &known);
    REQUIRE(why);
    CHECK(why->code == errc::origin_not_allowed);
  }
  CHECK(check_local_caller(from("localhost", "https://play.example"), hosts, nullptr));
}

TEST_CASE("a page of the requested host has the same origin, with a final dot or not") {
  const auto ask = [](std::string_view host, std::string_view origin) {
    return check_untyped_body(from(host, origin), {}, nullptr).has_value();
  };
  CHECK_FALSE(ask("own.example:81", "http://own.example:81"));
  CHECK_FALSE(ask("own.example:81", "http://Own.example.:81"));
  CHECK_FALSE(ask("own.example.", "https://own.example"));
  CHECK_FALSE(ask("[2001:db8::a]:81", "http://[2001:DB8::A]:81"));
  CHECK(ask("own.example:81", "http://own.example:82"));
  CHECK(ask("own.example:81", "http://own.example"));
  CHECK(ask("own.example", "http://own.example.."));
  CHECK(ask("own.example", "http://other.own.example"));
  CHECK(ask("", "http://own.example"));
  CHECK(ask("[2001:db8::a", "http://[2001:db8::a]"));
}

TEST_CASE("an untyped body from another origin's page is refused") {
  const auto known = registered();
  const auto ask = [&](std::string_view origin, std::string_view site = {}) {
    auto head = from("match.example", origin);
    if (!site.empty()) head.set(header::sec_fetch_site, site);
    return check_untyped_body(head, hosts, &known);
  };
  CHECK_FALSE(ask({}));
  CHECK_FALSE(ask("https://match.example", "same-origin"));
  CHECK_FALSE(ask("https://play.example"));
  CHECK_FALSE(ask({}, "none"));
  for (const auto& why : {ask("https://evil.example"), ask("null"), ask({}, "cross-site"),
                          ask("https://play.example", "Cross-Site")}) {
    REQUIRE(why);
    CHECK(why->code == errc::origin_not_allowed);
    CHECK(contains(why->detail, "Content-Type"));
  }
}

} // namespace
} // namespace matchcloud::http
