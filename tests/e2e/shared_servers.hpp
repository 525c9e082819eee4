#pragma once

#include "tests/e2e/server.hpp"

#include <string>

namespace matchcloud::e2e {

// Servers that tests share per transport ("loops" or "httplib"), started when first asked for. Main
// thread only.

/// Defaults: no GeoIP, every client untrusted.
server& plain_server(const std::string& transport);

/// GeoIP; 127.0.0.1 is a trusted proxy (127.0.0.2 is not).
server& located_server(const std::string& transport);

/// Much else than the default: base path /mm, fallback location 35 N 139 E, the CORS origins
/// https://play.example and http://localhost:3000, unknown members ignored.
server& configured_server(const std::string& transport);

} // namespace matchcloud::e2e
