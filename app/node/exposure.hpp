#pragma once

#include "app/config/config.hpp"
#include "app/config/protections.hpp"
#include "base/expected.hpp"
#include "store/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// Refuses listeners beyond this machine that anybody may use, unless insecure-open allows it, or
/// that would accept an operator's token without TLS. Fails with `config_invalid`.
base::expected<void> check_exposure(const serve_config& config);

/// Probable mistakes in the configuration of accepted listeners, as sentences for the log. `data`:
/// the listeners of the data plane, with the bound ports if they are bound.
std::vector<std::string> exposure_warnings(const serve_config& config,
                                           const std::vector<data_listener>& data);

/// Where clients on this machine reach a listener.
std::string url_of(const data_listener& listener);

/// The protections with which a service last started or reloaded on this host.
struct last_protections {
  given_protections given;
  /// Milliseconds since 1970.
  std::int64_t at_ms = 0;
};

/// Whether protections are compared with those of the last start. A service that another process
/// cannot find by a fixed port is a trial.
bool has_fixed_port(const serve_config& config);

/// Reads the latest ones from the audit log; nothing if there are none. Any thread. Throws a
/// `base::failure` with the errors of `audit_store::read_audit`.
std::optional<last_protections> find_last_protections(store::database& in);

/// Refuses `wanted` as `check_protections` does, and names the time of the last start.
base::expected<void> check_against(const last_protections& last, const given_protections& wanted);

/// Writes them to the audit log, as `action`. Any thread. Fails like `access_store::record`.
base::expected<void> record_protections(store::database& in, model::audit_action action,
                                        const given_protections& given);

} // namespace matchcloud::app
