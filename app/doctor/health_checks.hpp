#pragma once

#include "app/doctor/examined_service.hpp"
#include "app/doctor/health_finding.hpp"

#include <span>
#include <string_view>

namespace matchcloud::app {

/// The checks. They change nothing, and take a few seconds at most. A check with nothing to
/// examine, such as certificates if no listener has /tls, finds nothing.
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
health_findings check_last_protections(examined_service& of);
health_findings check_secrets(examined_service& of);
health_findings check_bucket(examined_service& of);
health_findings check_clock(examined_service& of);
health_findings check_geoip(examined_service& of);

struct named_check {
  std::string_view name;
  /// What it examines, for the help text.
  std::string_view looks_at;
  health_findings (*run)(examined_service& of);
  /// False if it can run even though the configuration is refused.
  bool needs_configuration = true;
};

/// All checks, in the order of the report.
std::span<const named_check> health_checks() noexcept;

/// Runs all checks and enters the check's name into each finding. A check that throws is an error.
health_findings examine(examined_service& of);

} // namespace matchcloud::app
