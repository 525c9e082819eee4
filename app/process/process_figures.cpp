#include "app/process/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace matchcloud::app {

namespace {

std::optional<double> processor_s() {
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return std::nullopt;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::optional<double> pages_bytes(std::size_t place) {
  std::ifstream file{"/proc/self/statm"};
  double pages = 0;
  for (std::size_t i = 0; i <= place; ++i)
    if (!(file >> pages)) return std::nullopt;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::optional<double> most_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

std::optional<double> open_descriptors() {
  std::error_code failed;
  const std::filesystem::directory_iterator all{"/proc/self/fd", failed};
  // No descriptor is left for counting the others.
  if (failed.value() == EMFILE) return most_descriptors();
  if (failed) return std::nullopt;
  // Minus the one that reads the directory.
  return static_cast<double>(std::distance(begin(all), end(all)) - 1);
}

template <class Read>
void add(base::metric_set& in, base::metric_type type, const base::metric_text& text, Read read) {
  in.add(type, text, [read](const base::metric_set::sink& to) {
    if (const auto value = read()) to({}, {*value});
  });
}

} // namespace

void show_process(base::metric_set& in, std::int64_t started_ms) {
  using base::metric_type;
  add(in, metric_type::gauge,
      {"process_start_time_seconds", "Start time of the process, in seconds since 1970."},
      [started_ms] { return std::optional{static_cast<double>(started_ms) / 1e3}; });
  add(in, metric_type::counter,
      {"process_cpu_seconds_total", "Processor time used by the process, in user and system mode."},
      processor_s);
  add(in, metric_type::gauge, {"process_resident_memory_bytes", "Resident memory of the process."},
      [] { return pages_bytes(1); });
  add(in, metric_type::gauge, {"process_virtual_memory_bytes", "Address space of the process."},
      [] { return pages_bytes(0); });
  add(in, metric_type::gauge, {"process_open_fds", "Open descriptors of the process."},
      open_descriptors);
  add(in, metric_type::gauge,
      {"process_max_fds", "Descriptors that the process may have (RLIMIT_NOFILE)."},
      most_descriptors);
}

} // namespace matchcloud::app
