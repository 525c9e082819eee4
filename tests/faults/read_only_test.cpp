// The data directory is read-only while the service runs, and when it starts.
#include "tests/catch.hpp"
#include "tests/faults/failing_disk.hpp"
#include "tests/faults/probed_service.hpp"
#include "tests/fixtures/small_disk.hpp"

#include <csignal>

namespace matchcloud::faults {

namespace {

using namespace e2e;

const refusal not_writable{503, "store_failed", "the data directory must be writable"};
const refusal not_now{503, "store_failed", "The service's log has the cause for its operator"};

TEST_CASE("a read-only data directory: reads go on, writes say it, and it heals by itself",
          "[disk]") {
  const fixtures::small_disk disk;
  if (!disk.mounted()) return;
  chances by{"a read-only data directory"};
  const world own{disk.path()};
  probed_service service{own};
  CHECK(service.ingest(by, {}));
  CHECK(service.rename({}));
  disk.make_read_only();
  for (int i = 0; i < 20; ++i) {
    CHECK_NOTHROW(service.read());
    CHECK_FALSE(service.rename(not_writable));
    CHECK_FALSE(service.export_history(not_now));
    // The database files are already open: whatever is acknowledged was written.
    CHECK_NOTHROW(service.ingest(by, not_writable));
  }
  disk.make_writable();
  service.check_heals(by, not_now);
}

TEST_CASE("a read-only data directory: the service does not start, and says why", "[disk]") {
  const fixtures::small_disk disk;
  if (!disk.mounted()) return;
  chances by{"a start on a read-only data directory"};
  const world own{disk.path()};
  probed_service service{own};
  CHECK(service.ingest(by, {}));
  const auto end = [&](int signal) {
    service.process().process().signal(signal);
    REQUIRE(service.process().process().exit_code());
  };
  end(SIGTERM);
  disk.make_read_only();
  check_start_refused(own, "make the data directory writable");
  disk.make_writable();
  service.restart();
  // Starts with the files that a killed process left.
  end(SIGKILL);
  disk.make_read_only();
  check_start_refused(own, "make its file system writable again");
  disk.make_writable();
  service.restart();
  service.check_heals(by, not_writable);
}

TEST_CASE("a disk that fails for good: reads go on, writes say it, and nothing is lost", "[disk]") {
  failing_disk disk;
  if (!disk.mounted()) return;
  chances by{"a disk that fails"};
  const world own{disk.path()};
  probed_service service{own};
  CHECK(service.ingest(by, {}));
  CHECK(service.rename({}));
  disk.fail();
  const refusal no_disk{503, "store_failed", "see the kernel's log"};
  for (int i = 0; i < 20; ++i) {
    CHECK_NOTHROW(service.read());
    CHECK_FALSE(service.ingest(by, no_disk));
    CHECK_FALSE(service.rename(not_writable));
    CHECK_FALSE(service.export_history(not_now));
  }
  service.process().process().signal(SIGKILL);
  REQUIRE(service.process().process().exit_code());
  check_start_refused(own, "writable");
  disk.repair();
  service.restart();
  service.check_heals(by, not_writable);
}

} // namespace

} // namespace matchcloud::faults
