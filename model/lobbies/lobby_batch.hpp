#pragma once

#include "model/lobbies/lobby.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace matchcloud::model {

/// The kinds of many lobbies, each once, numbered from 0 in the order in which they came. One
/// thread.
class lobby_kind_table {
public:
  lobby_kind_table() = default;
  lobby_kind_table(lobby_kind_table&&) = default;
  lobby_kind_table& operator=(lobby_kind_table&&) = default;

  /// The number of a kind, which is added if it is new. O(kind) on average.
  std::uint32_t number_of(const lobby_kind& kind) {
    const auto [at, added] = numbers_.try_emplace(kind, static_cast<std::uint32_t>(kinds_.size()));
    if (added) {
      kinds_.push_back(&at->first);
      used_bytes_ += bytes_of(kind);
    }
    return at->second;
  }

  const lobby_kind& operator[](std::uint32_t number) const { return *kinds_[number]; }
  std::size_t size() const noexcept { return kinds_.size(); }
  /// An estimate of the memory in use.
  std::size_t used_bytes() const noexcept { return used_bytes_; }

  void clear() {
    kinds_.clear();
    numbers_.clear();
    used_bytes_ = 0;
  }

private:
  /// A node, its bucket, the pointer to it, and strings that are not kept in place.
  static std::size_t bytes_of(const lobby_kind& kind) {
    return sizeof kind + 48 + kind.version_name.size() + kind.game_mode.size() +
           kind.region_id.size() + kind.tier.size();
  }

  /// Nodes stay where they are.
  std::unordered_map<lobby_kind, std::uint32_t> numbers_;
  std::vector<const lobby_kind*> kinds_;
  std::size_t used_bytes_ = 0;
};

/// A lobby whose kind stands in a table.
struct lobby_record {
  uuid lobby_id;
  lobby_times times;
  /// The number in the table.
  std::uint32_t kind = 0;
};

} // namespace matchcloud::model
