#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_display.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace matchcloud::app {

/// An export's answer is awaited for longer than the service works on it (10 minutes).
inline constexpr std::chrono::seconds export_answer_limit{11 * 60};
/// A download that stands still for as long counts as cut.
inline constexpr std::chrono::seconds download_silence_limit{30};
/// Attempts in a row that bring no new byte, before a download is given up; requests for an export
/// in a row that get no answer.
inline constexpr int fruitless_attempt_limit = 5;
/// Before the second attempt in a row; doubles from attempt to attempt.
inline constexpr std::chrono::milliseconds first_pause{500};
/// How often a file that changed while it was downloaded is begun anew.
inline constexpr int start_anew_limit = 3;
/// How often in a row an export is asked for, where its URL turns out to be no longer good.
inline constexpr int export_request_limit = 2;
/// A busy service is asked again after what its `Retry-After` says, at most this...
inline constexpr std::chrono::seconds busy_pause_limit{60};
/// ... and for as long as this all together.
inline constexpr std::chrono::seconds busy_limit{10 * 60};

/// What was downloaded.
struct download_summary {
  /// Rows of the CSV, without its header.
  std::uint64_t lobbies = 0;
  std::uint64_t bytes = 0;
};

/// What a download needs of its surroundings.
struct download_surroundings {
  const interrupt& until;
  progress_display& progress;
  /// Lets time go by; false where a signal came.
  std::function<bool(std::chrono::milliseconds)> pause;
};

/// Asks a service (its URL, with the base path) for an export and downloads it to `to`, which has
/// begun and is left for the caller to complete. A download that is cut goes on where it was
/// (RFC 9110 section 14), as long as the file is the same. Memory does not grow with it. Fails with
/// `io_failed` (the detail says what the service answered), `cancelled`, or as `to` does.
base::expected<download_summary> download_export(const http_url& service,
                                                 const model::export_query& query, output_file& to,
                                                 const download_surroundings& in);

} // namespace matchcloud::app
