#include "app/node/thread_counts.hpp"

#include "app/process/process_limits.hpp"
#include "http/transport/httplib_transport.hpp"
#include "model/text/counts.hpp"

namespace matchcloud::app {

namespace {

/// The main thread.
constexpr std::size_t first = 1;
/// One writes the log, one flushes it, and one prints the output of the start. The last one ends
/// then, but other threads start at the same time.
constexpr std::size_t logging = 3;
/// Writes the access log.
constexpr std::size_t access_logging = 1;
/// CAF's own: one for its clock, one for the printing actor.
constexpr std::size_t of_caf = 2;
/// Waits for a successor.
constexpr std::size_t handover = 1;
constexpr std::size_t ops_loop = 1;

std::size_t httplib_threads(const serve_config& config) noexcept {
  if (config.transport != transport_kind::httplib) return 0;
  return config.listen.size() * http::httplib_transport::threads_per_listener;
}

} // namespace

std::string choose_loops(serve_config& config, pid_t of) {
  using model::counted;
  const auto found = find_processors(of);
  const bool is_configured = config.loops != 0;
  if (!is_configured) config.loops = found.usable();
  const auto threads = httplib_threads(config);
  return (threads == 0 ? "" : counted(threads, "thread") + " (transport httplib), and ") +
         counted(config.loops, "event loop") + (is_configured ? " as configured: " : ": ") +
         found.describe();
}

std::size_t threads_needed(const serve_config& config) noexcept {
  namespace counts = thread_counts;
  const bool has_server = !config.store.url.empty();
  const auto exporting = config.exports.jobs_limit + counts::export_housekeeping;
  auto needed = first + logging + counts::actors + of_caf + handover + ops_loop +
                data_loops(config) + httplib_threads(config) + exporting + counts::administering +
                counts::surveying + counts::housekeeping;
  if (config.access_log.mode != http::access_log_mode::off) needed += access_logging;
  needed += has_server ? counts::server_ingesting + counts::store : counts::ingesting;
  if (!config.store.has_bucket()) return needed + counts::blocking;
  // An export to a bucket has a thread that renews its record, and others that send its parts. Each
  // thread that may use the bucket has another one that looks up the bucket's host name.
  const auto sending = config.exports.jobs_limit * config.store.objects.parts_in_flight_limit;
  return needed + config.exports.jobs_limit + 2 * (counts::bucket + sending) + exporting;
}

} // namespace matchcloud::app
