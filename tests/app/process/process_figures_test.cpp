#include "app/process/process_figures.hpp"

#include "tests/catch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <string_view>

namespace matchcloud::app {
namespace {

std::optional<double> value_of(const base::metric_set& in, std::string_view name) {
  std::optional<double> found;
  for (const auto& each : in.metrics())
    if (each.text.name == name)
      each.read([&](auto, const base::metric_value& value) { found = value.number; });
  return found;
}

TEST_CASE("where no descriptor is left to count with, as many are open as may") {
  base::metric_set shown;
  show_process(shown, 1'500);
  CHECK(value_of(shown, "process_start_time_seconds") == 1.5);
  const int lowest = ::dup(STDERR_FILENO);
  REQUIRE(lowest >= 0);
  ::close(lowest);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  auto lowered = limit;
  lowered.rlim_cur = static_cast<rlim_t>(lowest);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &lowered) == 0);
  const auto open = value_of(shown, "process_open_fds");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(open == lowest);
}

} // namespace
} // namespace matchcloud::app
