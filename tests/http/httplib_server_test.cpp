#include "http/httplib_server.hpp"

#include "tests/catch.hpp"

#include <thread>

namespace {

using namespace matchcloud;

TEST_CASE("a server that is ended before its thread listens does not listen") {
  http::httplib_server server{1, 16, 1024};
  REQUIRE(server.bind(http::parse_endpoint("127.0.0.1:0").value()));
  server.end();
  std::thread listening{[&] { server.listen_after_bind(); }};
  listening.join();
  CHECK_FALSE(server.is_running());
}

TEST_CASE("a server that listens is ended from another thread") {
  http::httplib_server server{1, 16, 1024};
  const auto bound = server.bind(http::parse_endpoint("127.0.0.1:0").value());
  REQUIRE(bound);
  std::thread listening{[&] { server.listen_after_bind(); }};
  httplib::Client client{"127.0.0.1", bound->port};
  CHECK(client.Get("/"));
  server.end();
  server.end();
  listening.join();
}

} // namespace
