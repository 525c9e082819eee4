// `matchcloud health`.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/loopback.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/server.hpp"

#include <csignal>
#include <sys/socket.h>

#include <chrono>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;

/// A socket that takes connections and answers nothing.
struct silent_listener {
  matchcloud::base::file_descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::string url;

  silent_listener() {
    auto where = matchcloud::fixtures::loopback_address(0);
    socklen_t size = sizeof where;
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    REQUIRE(::bind(socket.get(), address, size) == 0);
    REQUIRE(::listen(socket.get(), 1) == 0);
    REQUIRE(::getsockname(socket.get(), address, &size) == 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(where.sin_port));
  }
};

/// A pair of `matchcloud tls self-signed` for `host`.
struct self_signed {
  matchcloud::fixtures::temporary_directory directory;

  explicit self_signed(const std::string& host) {
    REQUIRE(
        run({"tls", "self-signed", "--out-dir", directory.path("tls"), "--host", host}).exit_code ==
        0);
  }
  std::string certificate() const { return directory.path("tls/cert.pem"); }
  arguments flags() const {
    return {"--ops-listen", "127.0.0.1:0/tls", "--tls-cert",
            certificate(),  "--tls-key",       directory.path("tls/key.pem")};
  }
};

TEST_CASE("health is ok where a service is ready", "[operations]") {
  const server service;
  const auto url = "http://" + service.ops().authority();
  for (const auto& each : {url, url + "/", url + "/readyz", url + "/healthz"}) {
    const auto got = run({"health", each});
    INFO(each << ": " << got.errors);
    CHECK(got.exit_code == 0);
    CHECK(got.out == "ok, status 200\n");
    CHECK(got.errors.empty());
  }
  const auto listens = "MATCHCLOUD_OPS_LISTEN=" + service.ops().authority();
  CHECK(run({"health"}, {listens}).exit_code == 0);
}

TEST_CASE("health says what an answer of another status has", "[operations]") {
  const server service;
  const auto url = "http://" + service.ops().authority() + "/nothing";
  const auto got = run({"health", url});
  CHECK(got.exit_code == 1);
  CHECK(got.out.empty());
  CHECK(got.errors.starts_with("matchcloud health: " + url + ": "));
  CHECK(contains(got.errors, "(404 "));
}

TEST_CASE("health has the reason of a service that drains", "[operations]") {
  server service{{"--drain-delay-ms", "60000"}};
  const auto url = "http://" + service.ops().authority();
  service.process().signal(SIGTERM);
  REQUIRE(service.process().says("not ready any more"));
  const auto got = run({"health", url});
  CHECK(got.exit_code == 1);
  CHECK(got.errors == "matchcloud health: " + url +
                          "/readyz: it returned status 503: "
                          "{\"ready\":false,\"reason\":\"draining\"}\n");
  CHECK(run({"health", url + "/healthz"}).exit_code == 0);
}

TEST_CASE("health says that nobody listens", "[operations]") {
  const auto got = run({"health"}, {"MATCHCLOUD_OPS_LISTEN=[::1]:1"});
  CHECK(got.exit_code == 1);
  CHECK(got.errors == "matchcloud health: http://[::1]:1/readyz: no connection; is the service "
                      "running, and is this its address?\n");
}

TEST_CASE("health waits no longer than it is told", "[operations]") {
  const silent_listener listener;
  const auto begun = std::chrono::steady_clock::now();
  const auto got = run({"health", listener.url, "--timeout", "1s"});
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{10});
  CHECK(got.exit_code == 1);
  CHECK(got.errors == "matchcloud health: " + listener.url + "/readyz: no answer within 1 s\n");
}

TEST_CASE("health checks certificates of URLs that it is given", "[operations][plain]") {
  const self_signed pair{"127.0.0.1"};
  const server service{pair.flags()};
  const auto url = "https://" + service.ops().authority();
  CHECK(run({"health", url, "--ca-file", pair.certificate()}).exit_code == 0);
  CHECK(run({"health", url}, {"MATCHCLOUD_CA_FILE=" + pair.certificate()}).exit_code == 0);
  const auto stranger = run({"health", url});
  CHECK(stranger.exit_code == 1);
  CHECK(contains(stranger.errors, "--ca-file"));
}

TEST_CASE("health of the own machine takes a certificate for another name", "[operations]") {
  const self_signed pair{"play.example"};
  const server service{pair.flags()};
  const auto listens = [&](const std::string& host) {
    return "MATCHCLOUD_OPS_LISTEN=" + host + ":" + std::to_string(service.ops().port) + "/tls";
  };
  CHECK(run({"health"}, {listens("127.0.0.1")}).exit_code == 0);
  CHECK(run({"health"}, {listens("0.0.0.0")}).exit_code == 0);
}

TEST_CASE("health that is asked for wrongly exits with 2 and says what is wrong", "[operations]") {
  struct wrong_line {
    arguments words;
    std::string says;
    environment added = {};
  };
  for (const auto& wrong : {
           wrong_line{{"health", "127.0.0.1:8081"}, "\"127.0.0.1:8081\""},
           {{"health", ""}, "is not a URL"},
           {{"health", "ftp://a.example"}, "ftp://a.example"},
           {{"health", "--timeout", "0"}, "\"0\""},
           {{"health", "--timeout", "100ms"}, "from 1s to 1h"},
           {{"health", "--timeout", "2h"}, "from 1s to 1h"},
           {{"health", "--ca-file", "cert.pem"}, "--ca-file"},
           {{"health", "http://a.example", "http://b.example"}, "http://b.example"},
           {{"health"}, "MATCHCLOUD_OPS_LISTEN", {"MATCHCLOUD_OPS_LISTEN=localhost:no"}},
       }) {
    const auto got = run(wrong.words, wrong.added);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.says));
    CHECK(contains(got.errors, "--help"));
  }
}

} // namespace
