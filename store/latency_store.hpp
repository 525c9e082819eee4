#pragma once

#include "base/expected.hpp"
#include "base/siphash.hpp"
#include "model/latency/voices.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Entries that one call adds, and that one call reads.
inline constexpr std::size_t latency_batch_limit = 1'000;
/// Entries that one call expires.
inline constexpr std::size_t latency_expiry_limit = 5'000;

/// How far a reader has read: up to and including this entry. Initially before all entries.
struct latency_position {
  /// Counts the calls that added entries: the one that changed the entry last.
  std::int64_t revision = 0;
  model::latency_cell cell;
  std::string region_id;

  friend bool operator==(const latency_position&, const latency_position&) = default;
};

/// Some of the learned latencies, in the order of their changes.
struct latency_page {
  std::vector<model::learned_entry> entries;
  /// The position of the last entry, or the given position if the page is empty.
  latency_position last;
};

/// The role of learned latencies, which replicas share. It keeps no audit log. See `session` for
/// what the calls of all roles have in common.
class latency_store {
public:
  virtual ~latency_store() = default;

  /// Merges what was learned since the last call into the store, by `model::merge`: at most
  /// `latency_batch_limit` entries, each cell and region once; otherwise it fails with `internal`.
  /// If the connection is lost during the commit, it fails although the entries may have been
  /// added; adding them again changes nothing. Networks are small groups of players, so the caller
  /// must not add one with fewer than five reporters.
  virtual base::expected<void> add_latencies(std::span<const model::learned_entry> learned) = 0;

  /// Reads the first entries after a position, each as it is now, in the order of revision, cell
  /// and region: at most `limit`, and at most `latency_batch_limit`. A reader that continues until
  /// a page is empty has read all, and later reads only what has changed. Everything that was or
  /// will be committed with a position up to `last` has been read. An entry that is damaged in the
  /// store has no values.
  virtual base::expected<latency_page> read_latencies(const latency_position& after,
                                                      std::size_t limit) = 0;

  /// The key of the hash that stands for a network in a place. All processes on the store share it.
  virtual base::expected<base::siphash_key> latency_key() = 0;

  /// Removes entries that were last reported before a minute (since 1970), and, if more than `most`
  /// are left, those that were reported least recently: at most `latency_expiry_limit` in one call.
  /// Readers do not notice removals. Returns how many were removed; 0 if none is left to remove.
  /// Counts all entries: call it every few minutes rather than seconds.
  virtual base::expected<std::size_t> expire_latencies(std::uint32_t before_minute,
                                                       std::size_t most) = 0;
};

/// Whether `add_latencies` accepts the entries. Fails with `internal`.
base::expected<void> check_learned(std::span<const model::learned_entry> learned);

} // namespace matchcloud::store
