#include "http/ops/catalog_admin.hpp"

#include "http/ops/single_request_server.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_session.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/raw_connection.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <condition_variable>
#include <mutex>
#include <vector>

namespace {

using namespace matchcloud;
using e2e::answer;
using e2e::raw_connection;

struct running {
  http::catalog_admin admin;
  http::single_request_server server{http::httplib_settings{}};
  e2e::address bound;

  explicit running(store::database::engine open)
      : admin{std::make_shared<store::database>(std::move(open), http::catalog_admin::sessions)} {
    admin.add_routes(server);
    const auto at = server.bind(http::parse_endpoint("127.0.0.1:0").value()).value();
    bound = {model::to_string(at.address), at.port};
    server.start([] {});
  }
};

const std::string put_tier = "PUT /v1/tiers/a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
const std::string list_tiers = "GET /v1/tiers HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_CASE("a change that waits too long for another's gets 503, and reading goes on") {
  const fixtures::temporary_directory directory;
  running one{[&] {
    return store::open_sqlite_session(directory.path(),
                                      {.patience = std::chrono::milliseconds{50}});
  }};
  CHECK(raw_connection{one.bound}.ask(list_tiers).status == 200);
  auto other = store::connection::open(directory.path() + "/matchcloud.db");
  REQUIRE(other.has_value());
  {
    const auto holding =
        store::transaction::begin(*other, store::transaction::access::write, "hold the lock");
    REQUIRE(holding.has_value());
    const auto refused = raw_connection{one.bound}.ask(put_tier);
    CHECK(refused.status == 503);
    CHECK(refused.problem_code() == "store_failed");
    CHECK(refused.header("retry-after") == "1");
    CHECK(refused.body.find("another process holds it") != std::string::npos);
    CHECK(raw_connection{one.bound}.ask(list_tiers).status == 200);
  }
  CHECK(raw_connection{one.bound}.ask(put_tier).status == 201);
}

TEST_CASE("no more requests than the limit are at the store; the next gets 503") {
  const fixtures::temporary_directory directory;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t waiting = 0;
  bool open = false;
  running one{[&] {
    std::unique_lock lock{mutex};
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    return store::open_sqlite_session(directory.path(), {});
  }};
  std::vector<raw_connection> clients;
  for (std::size_t i = 0; i < http::catalog_admin::concurrency_limit; ++i)
    clients.emplace_back(one.bound).send(list_tiers);
  {
    std::unique_lock lock{mutex};
    REQUIRE(changed.wait_for(lock, e2e::patience, [&] { return waiting == clients.size(); }));
  }
  const auto refused = raw_connection{one.bound}.ask(list_tiers);
  CHECK(refused.status == 503);
  CHECK(refused.problem_code() == "overloaded");
  CHECK(refused.header("retry-after") == "1");
  {
    const std::lock_guard lock{mutex};
    open = true;
  }
  changed.notify_all();
  for (auto& client : clients)
    CHECK(client.receive().status == 200);
  CHECK(raw_connection{one.bound}.ask(list_tiers).status == 200);
}

} // namespace
