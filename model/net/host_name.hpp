#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

/// Whether `text` is a host name (RFC 1123 section 2.1) in lower case. Dotted IPv4 passes too.
bool is_host_name(std::string_view text);

/// `text` with ASCII letters in lower case and all other bytes unchanged.
std::string to_lower(std::string_view text);

} // namespace matchcloud::model
