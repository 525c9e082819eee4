// What /metrics says of the process is what the kernel says of it.
#include "tests/catch.hpp"
#include "tests/service/server.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace matchcloud::e2e;

bool is_near(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(a, b);
}

TEST_CASE("the figures of the process are those of /proc", "[operations]") {
  const double begun = static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(
                                               std::chrono::system_clock::now().time_since_epoch())
                                               .count());
  const server of;
  const auto pid = of.process().pid();
  const auto proc = "/proc/" + std::to_string(pid);
  CHECK(std::abs(of.metric("process_start_time_seconds") - begun) < 30);
  CHECK(is_near(of.metric("process_resident_memory_bytes"),
                static_cast<double>(number_in_status(pid, "VmRSS")) * 1'024, 0.2));
  CHECK(is_near(of.metric("process_virtual_memory_bytes"),
                static_cast<double>(number_in_status(pid, "VmSize")) * 1'024, 0.2));
  const std::filesystem::directory_iterator open{proc + "/fd"};
  const auto descriptors = std::distance(begin(open), end(open));
  CHECK(std::abs(of.metric("process_open_fds") - static_cast<double>(descriptors)) <= 4);
  CHECK(of.metric("process_max_fds") >= of.metric("process_open_fds"));

  const auto seconds = [&] {
    std::ifstream file{proc + "/stat"};
    std::string word;
    double ticks = 0;
    for (int number = 1; file >> word; ++number) // utime and stime: proc(5)
      if (number == 14 || number == 15) ticks += std::stod(word);
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  };
  const auto least = seconds();
  const auto told = of.metric("process_cpu_seconds_total");
  CHECK(told >= least - 0.05);
  CHECK(told <= seconds() + 0.05);
}

TEST_CASE("how long loops waited for a processor is what the kernel says", "[operations]") {
  const server of{{"--loops", "1"}};
  const auto told = [&] { return of.metric(R"(matchcloud_loop_wait_seconds_total{loop="0"})"); };
  raw_connection client{of.data()};
  CHECK(eventually([&] { return client.ask(regions_request).status == 200 && told() > 0; }));
  const auto least = told();
  double all_s = 0;
  for (const auto& each : std::filesystem::directory_iterator{
           "/proc/" + std::to_string(of.process().pid()) + "/task"}) {
    std::ifstream file{each.path() / "schedstat"};
    double ran_ns = 0;
    double waited_ns = 0;
    if (file >> ran_ns >> waited_ns) all_s += waited_ns / 1e9;
  }
  CHECK(least <= all_s);
}

TEST_CASE("the disk of the data directory is measured, and its use is a bound",
          "[operations][embedded]") {
  const server of;
  struct statvfs at {};
  REQUIRE(::statvfs(shared_world().data_dir().c_str(), &at) == 0);
  const auto size = static_cast<double>(at.f_blocks) * static_cast<double>(at.f_frsize);
  const auto used = size - static_cast<double>(at.f_bavail) * static_cast<double>(at.f_frsize);
  CHECK(of.metric("matchcloud_data_directory_size_bytes") == size);
  CHECK(is_near(of.metric("matchcloud_data_directory_used_bytes"), used, 0.05));
  const auto share =
      of.metric(R"(matchcloud_bound_used_ratio{bound="data_directory",when_full="refuse"})");
  CHECK(is_near(share, used / size, 0.05));
}

TEST_CASE("the state of the service is a metric", "[operations]") {
  const server of;
  CHECK(of.metric(R"(matchcloud_service_state{state="ready"})") == 1);
  CHECK(of.metric(R"(matchcloud_service_state{state="draining"})") == 0);
}

} // namespace
