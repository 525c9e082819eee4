#include "tests/catch.hpp"

#include "base/files/file_descriptor.hpp"
#include "tests/contains.hpp"
#include "tests/faults/probed_service.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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

/// An ext4 file system in a file that can be made to fail: from then on no write succeeds, even to
/// open files, as after a real disk failure. The destructor unmounts it; all files on it must be
/// closed by then.
class failing_disk {
public:
  failing_disk();
  failing_disk(const failing_disk&) = delete;
  failing_disk& operator=(const failing_disk&) = delete;
  ~failing_disk();

  /// False if this user may not mount it; a message says so, and the test has to end.
  bool mounted() const noexcept { return mounted_; }
  const std::string& path() const noexcept { return place_; }

  void fail() const;
  /// Unmounts and remounts the disk. No file on it may be open.
  void repair();

private:
  bool mount();

  fixtures::temporary_directory directory_;
  std::string image_;
  std::string place_;
  bool mounted_ = false;
};

constexpr std::uintmax_t image_bytes = 32UL * 1024 * 1024;

/// Attaches the file to a loop device, which is detached when its last user closes it. Nothing if
/// there are no loop devices.
base::file_descriptor attach(const std::string& image, std::string& device) {
  const base::file_descriptor control{::open("/dev/loop-control", O_RDWR | O_CLOEXEC)};
  const int number = control ? ::ioctl(control.get(), LOOP_CTL_GET_FREE) : -1;
  if (number < 0) return {};
  device = "/dev/loop" + std::to_string(number);
  base::file_descriptor loop{::open(device.c_str(), O_RDWR | O_CLOEXEC)};
  const base::file_descriptor file{::open(image.c_str(), O_RDWR | O_CLOEXEC)};
  loop_config wanted{};
  wanted.fd = static_cast<__u32>(file.get());
  wanted.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  if (!loop || !file || ::ioctl(loop.get(), LOOP_CONFIGURE, &wanted) != 0) return {};
  return loop;
}

failing_disk::failing_disk() : image_{directory_.path("image")}, place_{directory_.path("disk")} {
  std::filesystem::create_directory(place_);
  std::ofstream{image_}.flush();
  std::filesystem::resize_file(image_, image_bytes);
  const auto make = "mkfs.ext4 -q -F " + image_ + " 2>/dev/null";
  mounted_ = fixtures::has_own_mounts() && std::system(make.c_str()) == 0 && mount();
  if (!mounted_) fixtures::not_tested("this user may mount no ext4 of a file");
}

failing_disk::~failing_disk() {
  if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
}

bool failing_disk::mount() {
  std::string device;
  const auto loop = attach(image_, device);
  return loop && ::mount(device.c_str(), place_.c_str(), "ext4", 0, nullptr) == 0;
}

void failing_disk::fail() const {
  // Does what ext4 itself does on an unrecoverable error.
  REQUIRE(::mount(nullptr, place_.c_str(), nullptr, MS_REMOUNT, "abort") == 0);
}

void failing_disk::repair() {
  REQUIRE(::umount2(place_.c_str(), 0) == 0);
  REQUIRE(mount());
}

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
