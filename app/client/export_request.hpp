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
  /// The bearer token that the service is asked with; empty: none. It is for the service alone: the
  /// URL that the service answers with is signed, and may lead to another host.
  std::string token;
  /// Who may vouch for it, and for the host of the URL that it answers with.
  certificate_authorities trusted{};
};

/// An export that a service made.
struct made_export {
  /// Where the complete file is.
  model::http_url url;
  /// From when on it has all lobbies, as the service says it; empty: it has all.
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
