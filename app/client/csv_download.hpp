#pragma once

#include "app/client/download_surroundings.hpp"
#include "base/expected.hpp"
#include "cli/output_file.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/net/http_url.hpp"

#include <cstdint>

namespace matchcloud::app {

/// What was downloaded.
struct download_summary {
  /// Rows of the CSV, without its header.
  std::uint64_t lobbies = 0;
  std::uint64_t bytes = 0;
};

/// Asks a service (its URL, with the base path) for an export and downloads it to `to`, which has
/// begun and is left for the caller to complete. A download that is cut goes on where it was
/// (RFC 9110 section 14), as long as the file is the same. Memory does not grow with it. Fails with
/// `io_failed` (the detail says what the service answered), `cancelled`, or as `to` does.
base::expected<download_summary> download_export(const model::http_url& service,
                                                 const model::export_query& query,
                                                 cli::output_file& to,
                                                 const download_surroundings& in);

} // namespace matchcloud::app
