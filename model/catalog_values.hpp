#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

/// Whether `text` can be a region id or a tier: 1 to 32 of `a-z 0-9 -`.
bool is_catalog_id(std::string_view text);

/// Whether `text` can be the name of an element: printable, not blank, not too long, well-formed.
bool is_catalog_name(std::string_view text);

/// A host name as RFC 1123 section 2.1 allows it, in lower case. Dotted IPv4 passes too.
bool is_host_name(std::string_view text);

/// ASCII letters in lower case, the rest as it is.
std::string to_lower(std::string_view text);

} // namespace matchcloud::model
