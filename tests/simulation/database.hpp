#pragma once

#include "tests/simulation/chance.hpp"
#include "tests/simulation/memory_store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::simulation {

/// The simulated disk: a store that others change by chance. One thread.
class database final : public memory_store {
public:
  explicit database(std::uint64_t seed);

  /// Each call makes one further state and returns a description for the trace. `now_ts`:
  /// milliseconds since 1970.
  std::string change_catalog();
  std::string change_avatars();
  std::string change_lobbies(std::int64_t now_ts);

  /// Merges the first of `records`, or all of them, into the ingested lobbies.
  store::lobby_merge merge_lobbies(std::span<const model::lobby_record> records,
                                   const model::lobby_attributes_table& attributes) override;
  /// The lobbies of ingests, apart from those that are exported: no state is kept of them.
  const lobby_map& ingested() const noexcept { return ingested_; }

  std::vector<taken_snapshot> snapshots;

private:
  chance random_;
  lobby_map ingested_;
  std::int64_t last_revision_ = 1;
  std::uint32_t last_id_ = 1'000;
};

/// The games. The last one is removed and added repeatedly.
const std::vector<model::uuid>& known_games();
/// The hosts whose pages may request listings.
const std::vector<std::string>& known_domains();

model::uuid numbered(std::uint32_t number);

} // namespace matchcloud::simulation
