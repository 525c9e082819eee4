// A service shuts down when told to, whatever a fault stalls.
#include "tests/catch.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/fault_control.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/fixtures/replaced_file.hpp"

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::faults {

namespace {

using namespace e2e;
using base::fault_point;

/// Clients that send one request each and ignore the result.
class clients {
public:
  ~clients() {
    for (auto& each : threads_)
      each.join();
  }
  void ask(std::function<void()> request) {
    threads_.emplace_back([request = std::move(request)] {
      try {
        request();
      } catch (const std::runtime_error&) {
        // The service ended first.
      }
    });
  }

private:
  std::vector<std::thread> threads_;
};

TEST_CASE("a service ends in time while all that waits for its store, files or clients is stalled",
          "[chaos]") {
  using enum fault_point;
  const auto never = std::string{R"({"kind":"stall"})"};
  for (const auto at : {accept, read, write, store_open, store_read, store_write, store_commit,
                        geoip_reload, export_write, export_sync, export_rename}) {
    CAPTURE(facts_of(at).name);
    const world in;
    const lobby_ledger ledger{1};
    in.import(ledger.catalog());
    server service{breakable({"--drain-timeout-ms", "600", "--geoip", in.geoip()}), in};
    const auto data = service.data();
    const auto ops = service.ops();
    const auto game = ledger.game_id();
    clients all;
    inject(ops, at, never);
    for (int i = 0; i < 4; ++i) {
      all.ask([=] { get(data, "/v1/regions"); });
      all.ask([=] { ask_export(data, game, 1'000'000U + static_cast<unsigned>(i)); });
      all.ask([=] { put_region(ops, "gru", std::to_string(i)); });
    }
    fixtures::rename_over(in.geoip(), fixtures::mmdb_of_place(1, 2));
    CHECK(eventually([&] { return hits_of(ops, at) > 0; }));
    service.process().signal(SIGTERM);
    CHECK(service.process().exit_code() == 0);
  }
}

} // namespace

} // namespace matchcloud::faults
