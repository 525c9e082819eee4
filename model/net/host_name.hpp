#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

/// A host name as RFC 1123 section 2.1 allows it, in lower case. Dotted IPv4 passes too.
bool is_host_name(std::string_view text);

/// ASCII letters in lower case, the rest as it is.
std::string to_lower(std::string_view text);

} // namespace matchcloud::model
