#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/limits/limits.hpp"

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace matchcloud::app {

/// How many threads a node has for each purpose; the number of event loops is configured.
namespace thread_counts {

/// The actors' pool.
inline constexpr std::size_t actors = 2;
/// For short work of the embedded store, and of the data directory.
inline constexpr std::size_t blocking = 2;
/// For short work if images and exports are in a bucket, and for a store on a server: it mostly
/// waits.
inline constexpr std::size_t bucket = 16;
inline constexpr std::size_t store = 8;
/// In addition to the export threads: one compresses finished files, one removes files.
inline constexpr std::size_t export_housekeeping = 2;
/// The embedded store runs one transaction at a time, and parsing lines is a tenth of the work.
inline constexpr std::size_t ingesting = 1;
/// A server runs several transactions, and each that waits for its disk holds a thread: see
/// `merge_gathering`.
inline constexpr std::size_t server_ingesting = 16;
inline constexpr std::size_t administering = 2;
/// Removes expired data.
inline constexpr std::size_t housekeeping = 1;
/// Each of these threads may need a session of the node's store.
inline constexpr std::size_t surveying = 1;

} // namespace thread_counts

/// The number of event loops of the data plane, once `loops` is not 0.
inline std::size_t data_loops(const serve_config& config) noexcept {
  return std::max<std::size_t>(1, config.loops);
}

/// Sets the number of event loops, unless it is configured, for the process `of`, 0 for this one.
/// Returns what serves the data plane and the reason for its size, for people.
std::string choose_loops(serve_config& config, pid_t of = 0);

/// The most threads that a service has, including the main thread and short-lived ones.
std::size_t threads_needed(const serve_config& config) noexcept;

/// Raises the soft limit of descriptors to the hard limit and returns it.
std::size_t raise_descriptor_limit();

/// How many descriptors a service needs to serve a few clients: twice the number that it has
/// without any.
std::size_t descriptors_needed(const serve_config& config);
/// Raises the descriptor limit and checks that it suffices. Fails with `unavailable` and a sentence
/// that says how many are needed and what the limit is.
base::expected<void> check_descriptors(const serve_config& config);

/// How many images may be open at once, out of `all` descriptors.
std::size_t media_descriptors(std::size_t all);
/// How many exports may be open at once, out of `all` descriptors; each is a plain and a compressed
/// file.
std::size_t open_exports(std::size_t all);

/// Lowers the connection limit to what `all`, the descriptors of the whole process, allow.
http::limits bounded_by_descriptors(http::limits limits, std::size_t all);

/// Raises the descriptor limit and returns `configured`, bounded by it; preallocates the kernel's
/// descriptor table. Call before any thread is started.
http::limits prepared(const http::limits& configured);

} // namespace matchcloud::app
