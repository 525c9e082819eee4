#pragma once

#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"

#include <chrono>
#include <functional>

namespace matchcloud::app {

/// How long to wait for the answer to an export request. The service itself gives up after 10
/// minutes.
inline constexpr std::chrono::seconds export_answer_limit{11 * 60};
/// A download that receives nothing for this long counts as cut.
inline constexpr std::chrono::seconds download_silence_limit{30};
/// Consecutive attempts without a new byte after which a download fails, and consecutive export
/// requests without an answer after which the export fails.
inline constexpr int attempts_without_progress_limit = 5;
/// The pause before the second consecutive attempt; it doubles with each further attempt.
inline constexpr std::chrono::milliseconds first_pause{500};
/// How many times a download starts over because the file changed.
inline constexpr int start_anew_limit = 3;
/// Consecutive export requests when the URL that each returns turns out to be no longer valid.
inline constexpr int export_request_limit = 2;
/// A request to a busy service is repeated after its `Retry-After`, but at most after this time.
inline constexpr std::chrono::seconds busy_pause_limit{60};
/// The limit on the sum of all waits for a busy service.
inline constexpr std::chrono::seconds busy_limit{10 * 60};

/// What a download needs from its caller.
struct download_context {
  const cli::interrupt& until;
  cli::progress_display& progress;
  /// Sleeps for the given time; false when a signal arrived.
  std::function<bool(std::chrono::milliseconds)> pause;
};

} // namespace matchcloud::app
