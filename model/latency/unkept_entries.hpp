#pragma once

#include "model/latency/entry_table.hpp"
#include "model/latency/learned_entry.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace matchcloud::model {

/// The least number of reporters with which a network is kept and shown. With fewer, it would
/// reveal single players.
inline constexpr int shown_reporters = 5;

/// Whether an entry may be kept and shown.
bool is_shown(const latency_entry& entry) noexcept;
bool is_shown(const learned_entry& entry) noexcept;

/// What was learned since it was last taken to be kept, by cell and region. One thread.
class unkept_entries {
public:
  /// Beyond `limit` entries, no more are noted until they are taken; 0: nothing is noted.
  explicit unkept_entries(std::size_t limit) : limit_{limit} {}

  /// Notes a value that was just added to `entry`, which had `reporters_before`. A network that has
  /// just become one that may be kept is noted as a whole.
  void note(const latency_entry& entry, std::uint16_t reporters_before, double value,
            double weight);
  /// Notes a network's contribution to wider cells, if the network is noted at all.
  void note_contribution(latency_cell cell, std::uint16_t region, std::uint16_t contributed);
  /// Notes an entry as a whole.
  void note_whole(const latency_entry& entry);

  /// What is noted of an entry; null: nothing.
  const latency_entry* find(latency_cell cell, std::uint16_t region) const noexcept;
  /// Removes and returns everything.
  std::vector<latency_entry> take();

  std::size_t size() const noexcept { return noted_.size(); }
  /// How many notes were left out because there were too many.
  std::uint64_t left_out() const noexcept { return left_out_; }

private:
  struct key {
    std::uint64_t cell = 0;
    std::uint16_t region = 0;
    friend bool operator==(const key&, const key&) = default;
  };
  struct key_hash {
    std::size_t operator()(const key& of) const noexcept {
      return shard_of({of.cell}) ^ (of.cell * 0x9E3779B97F4A7C15ULL + of.region);
    }
  };

  /// Null: there are too many.
  latency_entry* take_place(const latency_entry& of);

  std::size_t limit_;
  std::unordered_map<key, latency_entry, key_hash> noted_;
  std::uint64_t left_out_ = 0;
};

} // namespace matchcloud::model
