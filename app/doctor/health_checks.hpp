#pragma once

#include "app/doctor/examined_service.hpp"
#include "app/doctor/health_finding.hpp"

#include <span>
#include <string_view>

namespace matchcloud::app {

/// What each check does. They change nothing, and take some seconds at most. A check that has
/// nothing to look at, such as certificates where no listener has /tls, finds nothing.
health_findings check_configuration(examined_service& of);
health_findings check_listeners(examined_service& of);
health_findings check_ports(examined_service& of);
health_findings check_certificates(examined_service& of);
health_findings check_processors(examined_service& of);
health_findings check_thread_limits(examined_service& of);
health_findings check_descriptor_limits(examined_service& of);
health_findings check_memory(examined_service& of);
health_findings check_directory(examined_service& of);
health_findings check_disk(examined_service& of);
health_findings check_store(examined_service& of);
health_findings check_secrets(examined_service& of);
health_findings check_bucket(examined_service& of);
health_findings check_clock(examined_service& of);
health_findings check_geoip(examined_service& of);

struct health_check {
  std::string_view name;
  /// What it looks at, for the help text.
  std::string_view looks_at;
  health_findings (*run)(examined_service& of);
  /// Whether it can be done where the configuration is refused.
  bool needs_configuration = true;
};

/// All checks, in the order of the report.
std::span<const health_check> health_checks() noexcept;

/// Does all checks and names each finding's. A check that throws is an error.
health_findings examine(examined_service& of);

} // namespace matchcloud::app
