#include "app/certificates/new_certificate.hpp"

#include "app/client/http_transfer.hpp"
#include "base/clock.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/tls_server.hpp"

#include <initializer_list>

namespace matchcloud::app {
namespace {

using fixtures::contains;

constexpr std::int64_t day = 86'400;

std::int64_t now() {
  return base::machine_clock().unix_ms() / 1000;
}

certificate_pair pair_for(const std::vector<certificate_host>& hosts, std::int64_t begin = -day,
                          std::int64_t end = day) {
  auto made = make_self_signed(hosts, {now() + begin, now() + end});
  REQUIRE(made.has_value());
  return *std::move(made);
}

const certificate_host localhost{false, "localhost"};
const certificate_host loopback{true, "127.0.0.1"};

/// A server with a certificate, and a client that is told whom to trust.
struct trust_world {
  /// Declared first: threads inherit the signal mask that it sets.
  cli::interrupt until;
  fixtures::temporary_directory directory;
  certificate_pair pair;
  fixtures::tls_server server;

  explicit trust_world(certificate_pair of)
      : pair{std::move(of)},
        server{directory.file("cert.pem", pair.certificate_pem),
               directory.file("key.pem", pair.key_pem)} {
    server.answers.Get("/", [](const httplib::Request&, httplib::Response& to) {
      to.set_content("hello", "text/plain");
    });
    server.begin();
  }

  /// Trusts the certificates of `trusted` alone.
  certificate_authorities authorities(std::initializer_list<certificate_pair> trusted) const {
    std::string text;
    for (const auto& each : trusted)
      text += each.certificate_pem;
    auto read = certificate_authorities::read(directory.file("ca.pem", text));
    REQUIRE(read.has_value());
    return *std::move(read);
  }

  /// What came of asking `host`: the body, or why there is none.
  std::string ask(const std::string& host, const certificate_authorities& trusted) const {
    std::string body;
    const auto url = model::parse_http_url(server.url(host));
    REQUIRE(url.has_value());
    const auto result = transfer({"GET", *url, {}, {}, std::chrono::seconds{10}, trusted}, until,
                                 {[](const httplib::Response&) {},
                                  [&](std::string_view bytes) {
                                    body.append(bytes);
                                    return true;
                                  }});
    if (result.end == transfer_end::complete) return body;
    CHECK(result.end == transfer_end::not_trusted);
    CHECK(body.empty());
    return result.reason;
  }
  std::string ask(const std::string& host) const { return ask(host, authorities({pair})); }
};

TEST_CASE("a server is trusted by the authority of a file, by name and by address") {
  const trust_world in{pair_for({localhost, loopback})};
  CHECK(in.ask("localhost") == "hello");
  CHECK(in.ask("LocalHost") == "hello");
  CHECK(in.ask("127.0.0.1") == "hello");
  CHECK(in.ask("127.0.0.1", in.authorities({pair_for({localhost}), in.pair})) == "hello");
}

TEST_CASE("a server of another authority is not trusted, and the message says what to do") {
  const trust_world in{pair_for({localhost})};
  const auto other = in.ask("localhost", in.authorities({pair_for({localhost})}));
  CHECK(contains(other, "not issued by an authority in "));
  CHECK(contains(other, "ca.pem"));
  const auto system = in.ask("localhost", {});
  CHECK(contains(system, "that this system trusts"));
  CHECK(contains(system, "--ca-file"));
}

TEST_CASE("a certificate for other hosts is not accepted") {
  const certificate_host other{false, "play.example"};
  SECTION("by name") {
    const trust_world in{pair_for({other, loopback})};
    CHECK(contains(in.ask("localhost"), "is not for localhost"));
  }
  SECTION("by address") {
    const trust_world in{pair_for({other, localhost, {true, "127.0.0.2"}})};
    CHECK(contains(in.ask("127.0.0.1"), "is not for 127.0.0.1"));
  }
  SECTION("cpp-httplib alone takes the first bytes of ::1 for any IPv4 address") {
    const trust_world in{pair_for({{true, "::1"}})};
    CHECK(contains(in.ask("127.0.0.1"), "is not for 127.0.0.1"));
  }
  SECTION("an address written as a name is none") {
    const trust_world in{pair_for({{false, "127.0.0.1"}})};
    CHECK(contains(in.ask("127.0.0.1"), "is not for 127.0.0.1"));
  }
}

TEST_CASE("a certificate is accepted in its time alone") {
  SECTION("expired") {
    const trust_world in{pair_for({localhost}, -2 * day, -day)};
    CHECK(contains(in.ask("localhost"), "has expired"));
  }
  SECTION("not valid yet") {
    const trust_world in{pair_for({localhost}, day, 2 * day)};
    CHECK(contains(in.ask("localhost"), "not valid yet"));
  }
}

TEST_CASE("a file without a whole certificate is refused, and says what is wrong") {
  const fixtures::temporary_directory directory;
  const auto pem = pair_for({localhost}).certificate_pem;
  const auto why = [&](const std::string& file) {
    const auto read = certificate_authorities::read(file);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == base::errc::config_invalid);
    CHECK(contains(read.error().detail, file));
    return read.error().detail;
  };
  CHECK(contains(why(directory.path("none.pem")), "No such file"));
  CHECK(contains(why(directory.path()), "Is a directory"));
  CHECK(contains(why(directory.file("empty.pem", "")), "no certificate"));
  CHECK(contains(why(directory.file("junk.pem", "junk\n")), "-----BEGIN CERTIFICATE-----"));
  CHECK(contains(why(directory.file("key.pem", pair_for({localhost}).key_pem)), "no certificate"));
  const auto half = pem.substr(0, pem.size() / 2);
  CHECK(contains(why(directory.file("half.pem", pem + half)), "certificate 2 is damaged"));
}

TEST_CASE("a Location is as it was sent, also where its encoding was taken off") {
  const auto read = [](const std::string& value) {
    httplib::Response head;
    head.headers.emplace("Location", value);
    return location_of(head);
  };
  const std::string sent = "http://a.example/b/c?d=e%20%22f%22%2Bg&h=i/j";
  CHECK(read(sent) == sent);
  CHECK(read("http://a.example/b/c?d=e \"f\"+g&h=i/j") ==
        "http://a.example/b/c?d=e%20%22f%22%2bg&h=i/j");
}

} // namespace
} // namespace matchcloud::app
