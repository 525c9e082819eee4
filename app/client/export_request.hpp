#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "app/client/download_context.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <string>

namespace matchcloud::app {

/// The service that makes an export.
struct export_service {
  /// With the base path.
  model::http_url url;
  /// The bearer token for the service; empty: none. It is never sent to the URL that the service
  /// returns, which is signed and may lead to another host.
  std::string token;
  /// The authorities to trust for it, and for the host of the URL that it returns.
  certificate_authorities trusted{};
};

/// An export that a service made.
struct made_export {
  /// Where the complete file is.
  model::http_url url;
  /// The time from which on it has all lobbies, as the service reports it; empty: it has all.
  std::string complete_from;
};

/// Requests an export from a service, repeatedly while the service is busy. Fails with `io_failed`
/// or `cancelled`; the detail does not contain the token.
base::expected<made_export> request_export(const export_service& service,
                                           const model::export_query& query,
                                           const download_context& in);

/// The pause before the next attempt, after `fruitless` failed ones in a row (at least one).
std::chrono::milliseconds pause_after(int fruitless);

} // namespace matchcloud::app
