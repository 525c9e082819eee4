#include "app/doctor/health_checks.hpp"

#include <array>
#include <exception>
#include <iterator>
#include <string>

namespace matchcloud::app {

namespace {

constexpr std::array checks{
    health_check{"configuration", "the file, the environment and the flags", check_configuration,
                 false},
    health_check{"exposure", "who can reach the listeners", check_listeners},
    health_check{"ports", "whether the listeners' addresses are free", check_ports},
    health_check{"certificates", "whether they are usable, and for how long", check_certificates},
    health_check{"processors", "their number, the CPU quota and the event loops", check_processors,
                 false},
    health_check{"threads", "whether enough of them can be started", check_thread_limits},
    health_check{"descriptors", "RLIMIT_NOFILE", check_descriptor_limits},
    health_check{"memory", "what requests may hold, and the available memory", check_memory},
    health_check{"data-dir", "owners, modes, and whether it can be written", check_directory},
    health_check{"disk", "the file system of the data directory and its free space", check_disk},
    health_check{"store", "connection, encoding, schema and privileges", check_store},
    health_check{"secrets", "the keys of signed URLs and TLS tickets, and the master key",
                 check_secrets},
    health_check{"bucket", "credentials, region and rights", check_bucket},
    health_check{"clock", "this machine's compared with the store's and the bucket's", check_clock},
    health_check{"geoip", "whether the files are usable, and their age", check_geoip},
};

health_findings run(const health_check& check, examined_service& of) {
  try {
    return check.run(of);
  } catch (const std::exception& failure) {
    return {refused(std::string{"the check failed: "} + failure.what())};
  }
}

} // namespace

std::span<const health_check> health_checks() noexcept {
  return checks;
}

health_findings examine(examined_service& of) {
  health_findings all;
  for (const auto& check : checks) {
    if (check.needs_configuration && !of.configuration()) continue;
    auto found = run(check, of);
    for (auto& each : found)
      each.check = check.name;
    all.insert(all.end(), std::move_iterator{found.begin()}, std::move_iterator{found.end()});
  }
  return all;
}

} // namespace matchcloud::app
