#include "app/doctor/health_checks.hpp"

#include <array>
#include <exception>
#include <iterator>
#include <string>

namespace matchcloud::app {

namespace {

constexpr std::array checks{
    named_check{"configuration", "the file, the environment and the flags", check_configuration,
                false},
    named_check{"exposure", "who can reach the listeners", check_listeners},
    named_check{"ports", "whether the listeners' addresses are free", check_ports},
    named_check{"certificates", "whether they are usable, and for how long", check_certificates},
    named_check{"processors", "their number, the CPU quota and the event loops", check_processors,
                false},
    named_check{"threads", "whether enough of them can be started", check_thread_limits},
    named_check{"descriptors", "RLIMIT_NOFILE", check_descriptor_limits},
    named_check{"memory", "what requests may hold, and the available memory", check_memory},
    named_check{"data-dir", "owners, modes, and whether it can be written", check_directory},
    named_check{"disk", "the file system of the data directory and its free space", check_disk},
    named_check{"store", "connection, encoding, schema and privileges", check_store},
    named_check{"protections", "whether any is weaker than at the last start on this host",
                check_last_protections},
    named_check{"secrets", "the keys of signed URLs, and the master key", check_secrets},
    named_check{"bucket", "credentials, region and rights", check_bucket},
    named_check{"clock", "this machine's compared with the database's", check_clock},
    named_check{"geoip", "whether the files are usable, and their age", check_geoip},
};

health_findings run(const named_check& check, examined_service& of) {
  try {
    return check.run(of);
  } catch (const std::exception& failure) {
    return {refused(std::string{"the check failed: "} + failure.what())};
  }
}

} // namespace

std::span<const named_check> health_checks() noexcept {
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
