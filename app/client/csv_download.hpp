#pragma once

#include "app/client/export_request.hpp"
#include "cli/output_file.hpp"
#include "model/lobbies/export_query.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// A completed download.
struct download_summary {
  /// Rows of the CSV, without its header.
  std::uint64_t lobbies = 0;
  std::uint64_t bytes = 0;
  /// See `made_export`.
  std::string complete_from = {};
};

/// Requests an export from a service and downloads it to `to`, which the caller has begun and will
/// complete. An interrupted download resumes where it stopped (RFC 9110 section 14) as long as the
/// file is unchanged. Memory use does not grow with the download. Fails with `io_failed` (the
/// detail quotes the service's answer), with `cancelled`, or as `to` does.
download_summary download_export(const export_service& service, const model::export_query& query,
                                 cli::output_file& to, const download_context& in);

} // namespace matchcloud::app
