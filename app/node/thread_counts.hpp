#pragma once

#include "app/config/config.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace matchcloud::app {

/// How many threads a node has for what; the number of event loops is configured.
namespace thread_counts {

/// Of the actors' pool.
inline constexpr std::size_t actors = 2;
/// For short work of the embedded store, and of the data directory.
inline constexpr std::size_t blocking = 2;
/// For short work where images and exports are in a bucket, and of a store on a server: it mostly
/// waits.
inline constexpr std::size_t bucket = 16;
inline constexpr std::size_t store = 8;
/// In addition to the export threads: one compresses finished files, one removes files.
inline constexpr std::size_t export_housekeeping = 2;
/// The embedded store takes one transaction at a time, and parsing lines is a tenth of the work.
inline constexpr std::size_t ingesting = 1;
/// A server takes several, and those that wait for its disk hold a thread each: see
/// `merge_gathering`.
inline constexpr std::size_t server_ingesting = 16;
inline constexpr std::size_t administering = 2;
/// Removes what is not kept.
inline constexpr std::size_t housekeeping = 1;
/// Each may need a session of the node's store.
inline constexpr std::size_t surveying = 1;

} // namespace thread_counts

/// The number of event loops of the data plane, where `loops` was made a number that is not 0.
inline std::size_t data_loops(const serve_config& config) noexcept {
  return config.transport == transport_kind::httplib ? 0 : std::max<std::size_t>(1, config.loops);
}

/// Sets the number of event loops, unless it is configured. Returns what serves the data plane, and
/// why so much of it, for people.
std::string choose_loops(serve_config& config);

/// How many threads a service has at most, with its first one and those that come and go.
std::size_t threads_needed(const serve_config& config) noexcept;

} // namespace matchcloud::app
