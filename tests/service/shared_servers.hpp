#pragma once

#include "tests/service/server.hpp"

#include <string>

namespace matchcloud::e2e {

// Servers that tests share, one per transport ("loops" or "httplib"), started on first use. Main
// thread only. Each operation is requested from both transports once, all others from loops alone.

/// Default settings: no GeoIP, and no client is a trusted proxy.
server& plain_server(const std::string& transport = "loops");

/// With GeoIP. 127.0.0.1 is a trusted proxy, 127.0.0.2 is not.
server& located_server(const std::string& transport = "loops");

/// With many non-default settings: base path /mm, fallback location 35 N 139 E, the CORS origins
/// https://play.example and http://localhost:3000, unknown members ignored.
server& configured_server(const std::string& transport = "loops");

} // namespace matchcloud::e2e
