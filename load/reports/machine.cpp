#include "load/reports/machine.hpp"

#include "base/build_info.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <string_view>

namespace matchcloud::load {

namespace {

/// The name of the processor from the kernel, or else its architecture.
std::string processor_name(const std::string& architecture) {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto at = line.find(": ");
    if (at != std::string::npos) return line.substr(at + 2);
  }
  return architecture;
}

std::size_t usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 0;
}

} // namespace

machine this_machine() {
  utsname names{};
  ::uname(&names);
  machine made;
  made.host = names.nodename;
  made.processor = processor_name(names.machine);
  made.cores = usable_cores();
  made.kernel = std::string{names.sysname} + " " + names.release;
  made.version = describe(base::built());
  return made;
}

} // namespace matchcloud::load
