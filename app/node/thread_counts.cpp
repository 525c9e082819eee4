#include "app/node/thread_counts.hpp"

#include "app/process/processors.hpp"
#include "model/text/counts.hpp"

namespace matchcloud::app {

namespace {

/// The main thread.
constexpr std::size_t first = 1;
/// One writes the log, one flushes it, and one prints the output of the start. The last one ends
/// then, but the threads of httplib start at the same time.
constexpr std::size_t logging = 3;
/// Writes the access log.
constexpr std::size_t access_logging = 1;
/// CAF's own: one for its clock, one for the printing actor.
constexpr std::size_t of_caf = 2;
/// Waits for a successor.
constexpr std::size_t handover = 1;
constexpr std::size_t ops_loop = 1;

} // namespace

std::string choose_loops(serve_config& config) {
  using model::counted;
  if (config.transport == transport_kind::httplib)
    return counted(config.limits.httplib_threads, "thread") + " for each of " +
           counted(config.listen.size(), "listener") + " (transport httplib); loops has no effect";
  const auto found = find_processors();
  const bool is_configured = config.loops != 0;
  if (!is_configured) config.loops = found.usable();
  return counted(config.loops, "event loop") + (is_configured ? " as configured: " : ": ") +
         found.describe();
}

std::size_t threads_needed(const serve_config& config) noexcept {
  namespace counts = thread_counts;
  const bool has_server = !config.store.url.empty();
  const auto exporting = config.exports.jobs_limit + counts::export_housekeeping;
  auto needed = first + logging + counts::actors + of_caf + handover + ops_loop + exporting +
                counts::administering + counts::surveying + counts::housekeeping;
  // The server of each listener has a pool.
  needed += config.transport == transport_kind::httplib
                ? config.listen.size() * (1 + config.limits.httplib_threads)
                : data_loops(config);
  if (config.access_log.mode != http::access_log_mode::off) needed += access_logging;
  needed += has_server ? counts::server_ingesting + counts::store : counts::ingesting;
  if (!config.store.has_bucket()) return needed + counts::blocking;
  // An export to a bucket has a thread that renews its record. Each thread that may use the bucket
  // has another one that looks up the bucket's host name.
  return needed + counts::bucket + config.exports.jobs_limit + counts::bucket + exporting;
}

} // namespace matchcloud::app
