// The cost of one request in the steady state of a keep-alive connection: heap allocations and
// system calls.
#include "bench/sample_requests.hpp"
#include "bench/validation_bodies.hpp"
#include "tests/catch.hpp"
#include "tests/costs/counted_calls.hpp"
#include "tests/costs/service_on_a_loop.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <iostream>
#include <string>

namespace matchcloud::costs {
namespace {

constexpr std::uint64_t requests = 1'000;
/// After this many requests, buffers, queues and everything set up at first use have stopped
/// growing.
constexpr int warming_requests = 200;

/// A listing request as a browser sends it: the answer is compressed.
std::string compressed_regions_request() {
  return std::string{bench::browser_get};
}

/// A listing request as a program sends it.
std::string regions_request() {
  return "GET /matchmaker/regions HTTP/1.1\r\nHost: api.example\r\n"
         "X-Forwarded-For: 81.2.69.142\r\n\r\n";
}

/// The request with another header line, before its body.
std::string with_line(std::string request, const std::string& line) {
  return request.insert(request.find("\r\n\r\n") + 2, line + "\r\n");
}

std::string group_request() {
  return bench::json_post("/cloud/groups/validate", bench::group_body);
}

/// A version of 8 kB without any violation.
std::string version_request(const service_on_a_loop& of) {
  return bench::json_post("/cloud/games/" + model::to_string(of.game_id()) + "/versions/validate",
                          bench::composed_config());
}

/// The cost of `requests` requests on one connection, including the query for the counts.
call_counts measured(service_on_a_loop& service, const std::string& request) {
  e2e::raw_connection client{{"127.0.0.1", service.port()}};
  const auto first = client.ask(request);
  INFO(first.body);
  REQUIRE(first.status == 200);
  REQUIRE((request.starts_with("GET") || first.body == R"({"errors":[]})"));
  for (int i = 0; i < warming_requests; ++i)
    client.ask(request);
  const auto before = service.counts();
  bool alike = true;
  for (std::uint64_t i = 0; i < requests; ++i)
    alike = client.ask(request).body == first.body && alike;
  const auto spent = service.counts() - before;
  CHECK(alike);
  return spent;
}

/// Prints the count too: the ceiling alone does not show how far below it a request stays.
void check_allocations(service_on_a_loop& service, const std::string& name,
                       const std::string& request, double ceiling) {
  const auto each = static_cast<double>(measured(service, request).allocations) / requests;
  std::cout << name << ": " << each << " allocations per request, at most " << ceiling << '\n';
  CAPTURE(name);
  CHECK(each <= ceiling);
}

// Three allocations are the messages: transport to front, front to owner, and back; requests that
// wait together share them. A loop's queue allocates a block every 64 entries, of which a request
// takes 3, and that of waiting requests one every 16: the fraction. If a count grew, see the stacks
// below. If it shrank, lower its ceiling.
TEST_CASE("a request allocates no more than it is known to", "[allocations]") {
  constexpr double fraction = 0.12;
  service_on_a_loop service;
  check_allocations(service, "regions.list, location cached", regions_request(), 4 + fraction);
  check_allocations(service, "the same, compressed", compressed_regions_request(), 4 + fraction);
  check_allocations(service, "groups.validate", group_request(), 5 + fraction);
  check_allocations(service, "versions.validate, 8 kB", version_request(service), 9 + fraction);
}

TEST_CASE("a token costs a request no allocation", "[allocations]") {
  constexpr double fraction = 0.12;
  service_on_a_loop service{access::by_token};
  check_allocations(service, "regions.list with a token, location cached",
                    with_line(regions_request(), service.authorization()), 4 + fraction);
  check_allocations(service, "regions.list of an anonymous client", regions_request(),
                    4 + fraction);
}

TEST_CASE("a request is received in one call and answered in one", "[calls]") {
  service_on_a_loop service;
  for (const auto& request : {regions_request(), compressed_regions_request(), group_request(),
                              version_request(service)}) {
    CAPTURE(request);
    const auto spent = measured(service, request);
    CHECK(spent.receives == requests);
    CHECK(spent.sends == requests);
    // The query for the counts is one of each. A timer may be due while the client is silent.
    CHECK(spent.others == 1);
    CHECK(spent.waits >= requests);
    CHECK(spent.waits <= requests + requests / 10);
  }
}

/// The stacks of one request of each kind: test_costs '[stacks]' 2>&1 | c++filt
TEST_CASE("the stacks of a request's allocations", "[.][stacks]") {
  service_on_a_loop service;
  for (const auto& request : {regions_request(), compressed_regions_request(), group_request(),
                              version_request(service)}) {
    e2e::raw_connection client{{"127.0.0.1", service.port()}};
    for (int i = 0; i < warming_requests; ++i)
      client.ask(request);
    std::cerr << "\n=== " << request.substr(0, request.find('\r')) << "\n" << std::flush;
    service.on_loop([] { show_allocations(true); });
    client.ask(request);
    service.on_loop([] { show_allocations(false); });
  }
}

} // namespace
} // namespace matchcloud::costs
