#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/audit/audit.hpp"
#include "store/database.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace matchcloud::actors {

/// The limit on authors whose ingests are summed at the same time. Each ingest of further authors
/// has its own entry.
inline constexpr std::size_t summed_authors_limit = 1'024;

/// The changes by one author's ingests in one hour.
struct ingest_sum {
  /// Without address and request.
  model::audit_author by;
  /// Since 1970.
  std::int64_t hour = 0;
  std::uint64_t requests = 0;
  std::uint64_t lobbies = 0;
};

/// Sums the ingests of this process by author and hour, so that they do not crowd other changes out
/// of the audit log. The first ingest of an author in an hour has an entry, written by its
/// transaction, so the log names the author of every change. An hour's sum is written after its
/// end, in a separate transaction, because a row that all ingests update would make them wait for
/// each other. A kill loses only sums. Any thread.
class ingest_tally {
public:
  /// `clock` outlives this.
  explicit ingest_tally(const base::clock& clock = base::machine_clock()) : clock_{&clock} {}

  /// Whether the author already has an entry for this hour.
  bool has_entry(const model::audit_author& by) const;
  /// Adds what a transaction changed. `begins`: it is the first of its request.
  void add(const model::audit_author& by, std::uint64_t lobbies, bool begins);

  /// Takes the sums of hours that are over.
  std::vector<ingest_sum> take_over();
  /// Takes all sums. Call it when nothing is ingested any more.
  std::vector<ingest_sum> take_all();
  /// Takes back a sum that could not be written.
  void put_back(const ingest_sum& sum);

private:
  /// Hour, kind, name, id: in the order of hours.
  using key = std::tuple<std::int64_t, model::audit_author::kind, std::string, std::string>;

  std::int64_t hour_now() const noexcept;
  std::vector<ingest_sum> take_before(std::int64_t hour);

  const base::clock* clock_;
  mutable std::mutex mutex_;
  std::map<key, ingest_sum> sums_;
};

/// The entry of a sum.
model::audit_change describe(const ingest_sum& sum);

/// Writes an entry for each sum. What cannot be written goes back to `to`.
base::expected<void> write_sums(store::database& into, const std::vector<ingest_sum>& sums,
                                ingest_tally& to);

} // namespace matchcloud::actors
