#include "tests/faults/failing_disk.hpp"

#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/not_tested.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace matchcloud::faults {

namespace {

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

} // namespace

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

} // namespace matchcloud::faults
