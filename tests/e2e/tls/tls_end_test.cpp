// How connections with TLS end, and what is spoken on the wrong port.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_files.hpp"

#include <csignal>

namespace {

using namespace matchcloud::e2e;

const std::string half_request = regions_request.substr(0, regions_request.size() / 2);

const server& tls_server() {
  shared_world(); // outlives the server
  static const server only{tls_data + shared_files().flags() + arguments{"--loops", "2"}};
  return only;
}

double truncated() {
  return tls_server().metric("matchcloud_tls_truncated_total");
}

TEST_CASE("the server says by a close_notify that it has sent all", "[operations]") {
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    tls_client client{tls_server().data(), offer};
    const auto got = client.ask(request("GET", regions_target, {}, "Connection: close\r\n"));
    CHECK(got.status == 200);
    CHECK(client.receive_end() == tls_end::close_notify);
    tls_client refused{tls_server().data(), offer};
    CHECK(refused.ask("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status == 400);
    CHECK(refused.receive_end() == tls_end::close_notify);
  }
}

TEST_CASE("an idle connection that the server ends gets a close_notify", "[limits]") {
  const server hasty{tls_data + shared_files().flags() +
                     arguments{"--idle-timeout-ms", "300", "--head-timeout-ms", "300"}};
  tls_client idle{hasty.data()};
  CHECK(idle.ask(regions_request).status == 200);
  CHECK(idle.receive_end() == tls_end::close_notify);
  tls_client never_asked{hasty.data()};
  CHECK(never_asked.receive_end() == tls_end::close_notify);
  tls_client within_head{hasty.data()};
  within_head.send(half_request);
  CHECK(within_head.receive().status == 408);
  CHECK(within_head.receive_end() == tls_end::close_notify);
  // A part of a record is as good as a part of a head.
  tls_client within_record{hasty.data()};
  const auto record = within_record.encrypted(regions_request);
  within_record.under().send(std::string_view{record}.substr(0, record.size() - 1));
  CHECK(within_record.receive().status == 408);
  CHECK(within_record.receive_end() == tls_end::close_notify);
}

TEST_CASE("a drained server ends its connections by close_notify", "[lifecycle]") {
  server of{tls_data + shared_files().flags() + arguments{"--drain-timeout-ms", "900"}};
  tls_client kept{of.data()};
  CHECK(kept.ask(regions_request).status == 200);
  auto shaking = tls_client::connected(of.data());
  shaking.under().send(std::string_view{shaking.handshake_bytes()}.substr(0, 20));
  REQUIRE(eventually([&] { return of.metric("matchcloud_tls_handshakes_in_progress") == 1; }));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
  CHECK(kept.receive_end() == tls_end::close_notify);
}

TEST_CASE("half a request is answered if the client says that it ends, and not if it is cut off",
          "[operations]") {
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    const auto before = truncated();
    tls_client says{tls_server().data(), offer};
    says.send(half_request);
    says.send_close_notify();
    CHECK(says.receive().status == 400);
    CHECK(says.receive_end() == tls_end::close_notify);
    CHECK(truncated() == before);

    tls_client cut{tls_server().data(), offer};
    cut.send(half_request);
    cut.under().finish();
    CHECK(cut.receive_end() != tls_end::broken);
    CHECK(eventually([&] { return truncated() == before + 1; }));
  }
}

TEST_CASE("requests before a client's close_notify are answered", "[operations]") {
  for (const auto& offer : {tls_1_2(), tls_1_3()}) {
    tls_client client{tls_server().data(), offer};
    client.send(regions_request);
    client.send(regions_request);
    client.send_close_notify();
    client.under().finish();
    CHECK(client.receive().status == 200);
    CHECK(client.receive().status == 200);
    CHECK(client.receive_end() == tls_end::close_notify);
  }
}

TEST_CASE("HTTP on a port with TLS gets an answer that says so", "[operations]") {
  const server of{tls_data + tls_ops + shared_files().flags()};
  for (const auto& to : {of.data(), of.ops()})
    for (const auto& asked :
         {regions_request, request("POST", groups_target, std::string(100'000, ' ')),
          std::string{"G"}}) {
      raw_connection plain{to};
      static_cast<void>(plain.try_send(asked));
      const auto got = plain.receive();
      CHECK(got.status == 400);
      CHECK(got.body.find("https://") != std::string::npos);
      CHECK(got.header("connection") == "close");
      CHECK(plain.closed());
    }
  CHECK(tls_client{of.data()}.ask(regions_request).status == 200);
}

TEST_CASE("a TLS hello on a port without TLS is in the log, once", "[operations][plain]") {
  const server of{{"--loops", "1"}};
  for (int i = 0; i < 5; ++i) {
    int alert = -1;
    CHECK(!tls_works(of.data(), {}, &alert));
    CHECK(!tls_works(of.ops(), {}, &alert));
  }
  const auto said = [&] {
    const auto log = of.process().errors();
    std::size_t count = 0;
    for (auto at = log.find("speaks TLS"); at != log.npos; at = log.find("speaks TLS", at + 1))
      ++count;
    return count;
  };
  CHECK(eventually([&] { return said() == 2; })); // by the loop of each plane
  CHECK(of.process().says("/tls"));
  check_serves(of.data());
}

TEST_CASE("failed handshakes in the log do not hide who speaks TLS to a plain port",
          "[operations]") {
  const server of{tls_data + shared_files().flags() +
                  arguments{"--loops", "1", "--listen", "127.0.0.1:0"}};
  REQUIRE(of.listeners().size() == 2);
  tls_offer old;
  old.least_version = old.most_version = TLS1_1_VERSION;
  CHECK(!tls_works(of.listeners()[0], old));
  CHECK(of.process().says("[info] tls: no TLS with 127.0.0.1: unsupported protocol"));
  CHECK(!tls_works(of.listeners()[1], {}));
  CHECK(of.process().says(
      "[warning] tls: no TLS with 127.0.0.1: it speaks TLS to a listener without"));
}

} // namespace
