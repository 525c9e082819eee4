#pragma once

#include "app/client/download_context.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/net/http_url.hpp"

#include <chrono>

namespace matchcloud::app {

/// Requests an export from a service, repeatedly while the service is busy, and returns the URL of
/// the complete file. Fails with `io_failed` or `cancelled`.
base::expected<model::http_url> request_export(const model::http_url& service,
                                               const model::export_query& query,
                                               const download_context& in);

/// The pause before the next attempt, after `fruitless` failed ones in a row (at least one).
std::chrono::milliseconds pause_after(int fruitless);

} // namespace matchcloud::app
