#include "app/node/resources.hpp"

#include "app/process/process_limits.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/transport/httplib_transport.hpp"
#include "model/text/counts.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>

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

/// Descriptors kept for everything that is not a client connection.
constexpr std::size_t reserved_descriptors = 512;

/// Measured numbers of descriptors that a service has open without clients: for the process as a
/// whole, for each event loop, for each listener of each loop (one more is kept for a successor),
/// and for each session of the embedded store.
constexpr std::size_t process_descriptors = 32;
constexpr std::size_t loop_descriptors = 3;
constexpr std::size_t listener_descriptors = 2;
constexpr std::size_t session_descriptors = 3;

/// How many of `all` descriptors the data plane's connections must leave free.
std::size_t kept_descriptors(const http::limits& limits, std::size_t all) {
  return reserved_descriptors + media_descriptors(all) + 2 * open_exports(all) +
         limits.ops_connection_limit;
}

/// Makes the kernel allocate a table for this many descriptors. Call before threads start: later,
/// each doubling of the table waits for all processors (RCU), which would stall an event loop for
/// 10 to 25 ms.
void widen_descriptor_table(std::size_t descriptors) {
  const base::file_descriptor any{eventfd(0, EFD_CLOEXEC)};
  const auto last = static_cast<int>(std::min<std::size_t>(descriptors, INT_MAX) - 1);
  const base::file_descriptor highest{::fcntl(any.get(), F_DUPFD_CLOEXEC, last)};
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

std::size_t raise_descriptor_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return SIZE_MAX;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(files.rlim_max);
}

std::size_t descriptors_needed(const serve_config& config) {
  const auto loops = std::max<std::size_t>(1, data_loops(config));
  auto own = process_descriptors + loops * loop_descriptors +
             loops * config.listen.size() * listener_descriptors;
  own += config.store.url.empty() ? 6 * session_descriptors : config.store_sessions.at_once;
  if (config.store.has_bucket()) own += thread_counts::bucket;
  return 2 * own;
}

base::expected<void> check_descriptors(const serve_config& config) {
  const auto all = raise_descriptor_limit();
  const auto needed = descriptors_needed(config);
  if (all >= needed) return {};
  return base::fail(base::errc::unavailable,
                    "this configuration needs " + std::to_string(needed) +
                        " descriptors, and the system allows " + std::to_string(all) +
                        " (the hard RLIMIT_NOFILE). Raise the limit (ulimit -Hn, LimitNOFILE= of "
                        "systemd, --ulimit nofile=" +
                        std::to_string(needed) + " of docker), or use fewer --loops");
}

std::size_t media_descriptors(std::size_t all) {
  return std::clamp<std::size_t>(all / 8, 64, 4'096);
}

std::size_t open_exports(std::size_t all) {
  return std::clamp<std::size_t>(all / 16, 32, 1'024);
}

http::limits bounded_by_descriptors(http::limits limits, std::size_t all) {
  limits.ops_connection_limit = std::min(limits.ops_connection_limit, all / 8);
  const auto kept = kept_descriptors(limits, all);
  // At least half, if there are few: connections must not take the descriptors that the store
  // needs.
  const auto most = std::max(all / 2, all - std::min(all, kept));
  limits.connection_limit = std::min(limits.connection_limit, most);
  return limits;
}

http::limits prepared(const http::limits& configured) {
  const auto all = raise_descriptor_limit();
  auto bounded = bounded_by_descriptors(configured, all);
  widen_descriptor_table(std::min(all, bounded.connection_limit + kept_descriptors(bounded, all)));
  return bounded;
}

} // namespace matchcloud::app
