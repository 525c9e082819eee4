#pragma once

#include "app/client/export_download.hpp"

namespace matchcloud::app {

/// Asks a service for an export, once or until it is no longer busy; the URL of the complete file.
/// Fails with `io_failed` or `cancelled`.
base::expected<http_url> request_export(const http_url& service, const model::export_query& query,
                                        const download_surroundings& in);

/// The pause before the next attempt, after `fruitless` in a row (at least one).
std::chrono::milliseconds pause_after(int fruitless);

} // namespace matchcloud::app
