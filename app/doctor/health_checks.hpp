#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/takeover/handover_channel.hpp"
#include "http/transport/listener.hpp"
#include "store/open_store.hpp"

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::app {

enum class finding_level : std::uint8_t {
  ok,
  /// The service starts, but does less than it could, or does not last.
  warning,
  /// The service does not start, or its clients refuse it.
  error,
};

/// `ok`, `warning` or `error`.
constexpr std::string_view name_of(finding_level level) noexcept {
  constexpr std::string_view names[] = {"ok", "warning", "error"};
  return names[static_cast<std::size_t>(level)];
}

/// What a check has found.
struct health_finding {
  finding_level level = finding_level::ok;
  /// A sentence without its full stop; several lines if a configuration has several errors.
  std::string message;
  /// What to do; empty if there is nothing to do, or if the message says it.
  std::string advice = {};
  /// The name of the check.
  std::string_view check = {};
};

using health_findings = std::vector<health_finding>;

inline health_finding fine(std::string message) {
  return {finding_level::ok, std::move(message)};
}
inline health_finding warned(std::string message, std::string advice = {}) {
  return {finding_level::warning, std::move(message), std::move(advice)};
}
inline health_finding refused(std::string message, std::string advice = {}) {
  return {finding_level::error, std::move(message), std::move(advice)};
}

/// A service that is about to start, as checks see it. Results that several checks need are
/// obtained once. Changes nothing. One thread.
class examined_service {
public:
  /// `unknown_variables`: variables in the environment that are not keys.
  explicit examined_service(base::expected<serve_config> configuration,
                            std::vector<std::string> unknown_variables = {});

  const base::expected<serve_config>& configuration() const noexcept { return configuration_; }
  const std::vector<std::string>& unknown_variables() const noexcept { return unknown_variables_; }

  /// The configuration, with the number of event loops; only if it is not refused.
  const serve_config& config() const { return *configuration_; }
  /// What would serve the data plane, and the reason for its size.
  const std::string& served_by() const noexcept { return served_by_; }

  /// Waits for a server for some seconds at most.
  const base::expected<store::store_examination>& store();
  /// The process that serves one of these listeners from the same data directory as the same user,
  /// or, for root, as any user; empty if there is none.
  const std::optional<http::local_peer>& running();
  /// The id of that process; 0 if there is none, if it is in another container, and if the
  /// configuration is refused.
  pid_t serving();

  /// Whether checks may write to the bucket, into an object of their own that they remove.
  bool may_write = false;

private:
  base::expected<serve_config> configuration_;
  std::vector<std::string> unknown_variables_;
  std::string served_by_;
  std::optional<base::expected<store::store_examination>> store_;
  std::optional<std::optional<http::local_peer>> running_;
};

/// Such as "process 4242".
std::string name_of_process(pid_t pid);

/// The checks. They change nothing, and take a few seconds at most. A check with nothing to
/// examine, such as certificates if no listener has /tls, finds nothing. A `base::failure` that it
/// throws is a finding, too.
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

// Parts of checks.

/// A number of bytes for people, such as `512 MiB`: three digits at most, rounded down.
std::string shown_bytes(std::uint64_t bytes);
/// On a file system of that size, less free space than this is little: a twentieth, but at least
/// 1 GiB and at most 10 GiB.
std::uint64_t little_space(std::uint64_t size_bytes) noexcept;

struct listening_socket {
  std::string user;
  std::string inode;

  friend bool operator==(const listening_socket&, const listening_socket&) = default;
};

/// The sockets that listen at exactly `where`, by `table`: /proc/net/tcp or tcp6 (proc(5)). Lines
/// that cannot be read are skipped.
std::vector<listening_socket> listening_sockets(std::istream& table, const http::endpoint& where);

/// Whether a process has a socket that listens at exactly `where`. If the system hides its
/// descriptors, as it does for a unit with PrivateUsers, whether its user has one. False if /proc
/// cannot be read.
bool process_listens_at(const http::local_peer& process, const http::endpoint& where);

} // namespace matchcloud::app
