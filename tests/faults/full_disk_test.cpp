// The disk is full while the service runs, and when it starts.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/faults/probed_service.hpp"
#include "tests/fixtures/small_disk.hpp"

#include <csignal>

namespace matchcloud::faults {

namespace {

using namespace e2e;

/// How often the disk is filled; script/soak sets a higher number.
constexpr std::uint64_t fillings = 3;

const refusal full{507, "store_full", "Free some disk space"};
const refusal full_to_clients{507, "store_full", "Its operator has to make room"};

/// Runs clients of all kinds until each has received enough refusals because the disk is full.
void press_on(probed_service& service, chances& by) {
  std::atomic<int> ingests{0};
  std::atomic<int> renames{0};
  std::atomic<int> exports{0};
  std::atomic<int> reads{0};
  busy_clients clients;
  for (int writer = 0; writer < 2; ++writer)
    clients.add([&, chance = by.split()]() mutable {
      if (!service.ingest(chance, full)) ++ingests;
    });
  clients.add([&] {
    if (!service.rename(full)) ++renames;
  });
  clients.add([&] {
    if (!service.export_history(full_to_clients)) ++exports;
  });
  clients.add([&] {
    service.read();
    ++reads;
  });
  const auto told = [&] { return ingests > 20 && renames > 5 && exports > 5 && reads > 5; };
  const bool all_told = eventually([&] { return told() || clients.is_wrong(); });
  CAPTURE(ingests.load(), renames.load(), exports.load(), reads.load());
  CHECK(all_told);
  REQUIRE(clients.finish() == "");
}

TEST_CASE("a full disk: reads go on, writes say it, and room heals it without a restart",
          "[disk]") {
  chances by{"a full disk"};
  const auto rounds = setting("MATCHCLOUD_SOAK_FILLINGS", fillings);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const fixtures::small_disk disk;
    if (!disk.mounted()) return;
    const world own{disk.path()};
    probed_service service{own};
    disk.fill(by.between(0, 400'000));
    press_on(service, by);
    disk.make_room();
    service.check_heals(by, full);
    // A service killed on a full disk is in its previous state once there is space.
    disk.fill();
    CHECK_FALSE(service.ingest(by, full));
    const auto found = service.process().ask_ops_plane(request("GET", "/v1/attention")).body;
    CHECK(fixtures::contains(found, R"("cause":"disk_full")"));
    CHECK(fixtures::contains(found, "full: 0 MiB are left"));
    service.process().process().signal(SIGKILL);
    REQUIRE(service.process().process().exit_code());
    disk.make_room();
    service.restart();
    service.check_heals(by, full);
  }
}

TEST_CASE("a full disk: the service ends well, and starts when there is room", "[disk]") {
  const fixtures::small_disk disk;
  if (!disk.mounted()) return;
  chances by{"a start on a full disk"};
  const world own{disk.path()};
  probed_service service{own};
  const auto end = [&] {
    service.process().process().signal(SIGTERM);
    CHECK(service.process().process().exit_code() == 0);
  };
  CHECK(service.ingest(by, {}));
  disk.fill();
  CHECK_FALSE(service.ingest(by, full));
  end();
  disk.make_room();
  service.restart();
  service.check_heals(by, full);
  // With free space, shutdown removes the write-ahead log, so that the next start needs space to
  // create one.
  end();
  disk.fill();
  check_start_refused(own, "free some disk space");
  disk.make_room();
  service.restart();
  service.check_heals(by, full);
}

} // namespace

} // namespace matchcloud::faults
