#pragma once

#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"

#include <chrono>
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

/// What a download needs of its surroundings.
struct download_surroundings {
  const cli::interrupt& until;
  cli::progress_display& progress;
  /// Lets time go by; false where a signal came.
  std::function<bool(std::chrono::milliseconds)> pause;
};

} // namespace matchcloud::app
