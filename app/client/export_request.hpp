#pragma once

#include "app/certificates/certificate_authorities.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_display.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <functional>
#include <string>

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
made_export request_export(const export_service& service, const model::export_query& query,
                           const download_context& in);
/// Throws `cancelled`.
[[noreturn]] void fail_interrupted();

/// The pause before the next attempt, after `fruitless` failed ones in a row (at least one).
std::chrono::milliseconds pause_after(int fruitless);

} // namespace matchcloud::app
