#include "app/process/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

/// A member of /proc/self/stat after the name, which may contain blanks; proc(5) numbers the first
/// of them 3.
std::optional<std::uint64_t> stat_member(std::size_t number) {
  constexpr std::size_t first = 3;
  std::ifstream file{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto name_end = text.rfind(')');
  if (name_end == text.npos) return std::nullopt;
  std::istringstream members{text.substr(name_end + 1)};
  std::string each;
  for (auto i = first; i <= number; ++i)
    if (!(members >> each)) return std::nullopt;
  return std::stoull(each);
}

std::optional<double> boot_time_s() {
  std::ifstream file{"/proc/stat"};
  std::string name;
  double value = 0;
  while (file >> name)
    if (name == "btime" && file >> value) return value;
  return std::nullopt;
}

std::optional<double> began_s() {
  constexpr std::size_t start_time = 22;
  const auto ticks = stat_member(start_time);
  const auto boot_s = boot_time_s();
  if (!ticks || !boot_s) return std::nullopt;
  return *boot_s + static_cast<double>(*ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::optional<double> processor_s() {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return std::nullopt;
  const auto seconds = [](const timeval& of) {
    return static_cast<double>(of.tv_sec) + static_cast<double>(of.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
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

void show_process(base::metric_set& in) {
  using base::metric_type;
  add(in, metric_type::gauge,
      {"process_start_time_seconds", "Start time of the process, in seconds since 1970."},
      [began = began_s()] { return began; });
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
