#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::model {

inline constexpr std::size_t ping_url_limit_bytes = 2'048;

/// Whether the console's page may send requests to `text`: an https URL of at most
/// `ping_url_limit_bytes` without a user name or fragment, or an http URL of the machine itself.
bool is_ping_url(std::string_view text);

/// The origin of such a URL as a browser writes it: `https://lon.example:8443`.
std::string origin_of(std::string_view ping_url);

} // namespace matchcloud::model
