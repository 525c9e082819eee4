#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

/// What a name breaks of RFC 1035 section 2.3.4 and RFC 1123 section 2.1, as a clause that
/// continues it; empty for a host name in any case, which may have underscores but no dot at the
/// end.
std::string_view host_name_defect(std::string_view name) noexcept;

/// Whether `text` is a host name (RFC 1123 section 2.1) in lower case. Dotted IPv4 passes too.
bool is_host_name(std::string_view text);

/// Whether `text` may be the name of a machine: a host name in any case, which may have
/// underscores, as names of Docker and Kubernetes do, and a dot at the end.
bool is_loose_host_name(std::string_view text);

/// Whether two host names mean the same host: the case of ASCII letters and a dot at the end (RFC
/// 1034 section 3.1) do not count.
bool are_same_host(std::string_view a, std::string_view b) noexcept;

/// `host` without a dot at its end.
constexpr std::string_view without_final_dot(std::string_view host) noexcept {
  if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  return host;
}

/// `text` with ASCII letters in lower case and all other bytes unchanged.
std::string to_lower(std::string_view text);

} // namespace matchcloud::model
