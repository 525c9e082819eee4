// What passes through has its memory from the budget, and no more.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// What is left of an answer's head is dropped; the body of that size follows.
std::string rest_of(raw_connection& client, std::size_t size) {
  std::string head;
  while (!head.ends_with("\r\n\r\n"))
    head += client.receive_bytes(1);
  constexpr std::size_t piece = 1UL * 1024 * 1024;
  std::string body;
  while (body.size() < size)
    body += client.receive_bytes(std::min(piece, size - body.size()));
  return body;
}

TEST_CASE("beyond the budget downloads that pass through are refused, the others are whole") {
  if (!store::has_s3_service()) return;
  constexpr std::size_t budget_bytes = 8UL * 1024 * 1024;
  constexpr std::size_t clients = 24;
  // AddressSanitizer keeps freed memory in quarantine, and ThreadSanitizer needs several shadow
  // words per word used.
  const std::size_t growth_limit_kib = (fixtures::programs_are_sanitized() ? 256UL : 32UL) * 1024;
  const s3_bucket bucket;
  server of{{"--objects-delivery", "through", "--byte-budget-bytes", std::to_string(budget_bytes)},
            large_world(),
            told_of(bucket)};
  const auto target = exported(of);
  const auto& csv = large_csv();
  const bool is_usable = ask(of, "GET", target).body == csv;
  CHECK(is_usable);
  const auto pid = of.process().pid();
  const auto before_kib = number_in_status(pid, "VmRSS");

  std::vector<raw_connection> slow;
  for (std::size_t i = 0; i < clients; ++i)
    slow.emplace_back(of.data(), std::string{}, 4096).send(request("GET", target));
  // Each has an answer, and takes no more of it for now.
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  std::vector<bool> is_admitted;
  for (auto& client : slow)
    is_admitted.push_back(client.receive_bytes(ok.size()) == ok);
  CHECK(of.metric("matchcloud_budget_used_bytes") <= budget_bytes);
  check_serves(of.data());

  std::size_t exact = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    if (!is_admitted[i]) {
      CHECK(slow[i].receive_bytes(450).find("budget_exhausted") != std::string::npos);
      continue;
    }
    if (rest_of(slow[i], csv.size()) == csv) ++exact;
    CHECK(number_in_status(pid, "VmRSS") < before_kib + growth_limit_kib);
  }
  const auto admitted = std::ranges::count(is_admitted, true);
  // A window and a quarter each.
  CHECK(admitted >= 5);
  CHECK(admitted <= 6);
  CHECK(exact == static_cast<std::size_t>(admitted));
  slow.clear();
  CHECK(eventually([&] { return of.metric("matchcloud_budget_used_bytes") == 0; }));
  CHECK(ask(of, "HEAD", target).status == 200);
}

} // namespace
