#pragma once

#include "model/lobbies/lobby.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace matchcloud::model {

/// The distinct attributes of many lobbies, numbered from 0 in order of arrival. One thread.
class lobby_attributes_table {
public:
  lobby_attributes_table() = default;
  lobby_attributes_table(lobby_attributes_table&&) = default;
  lobby_attributes_table& operator=(lobby_attributes_table&&) = default;

  /// The number of `attributes`, which are added if they are new. O(their length) on average.
  std::uint32_t number_of(const lobby_attributes& attributes) {
    const auto [at, added] =
        numbers_.try_emplace(attributes, static_cast<std::uint32_t>(attributes_.size()));
    if (added) {
      attributes_.push_back(&at->first);
      used_bytes_ += bytes_of(attributes);
    }
    return at->second;
  }

  const lobby_attributes& operator[](std::uint32_t number) const { return *attributes_[number]; }
  std::size_t size() const noexcept { return attributes_.size(); }
  /// An estimate of the memory in use.
  std::size_t used_bytes() const noexcept { return used_bytes_; }

  void clear() {
    attributes_.clear();
    numbers_.clear();
    used_bytes_ = 0;
  }

private:
  /// Estimates a node, its bucket, the pointer to it, and strings too long to be stored inline.
  static std::size_t bytes_of(const lobby_attributes& attributes) {
    return sizeof attributes + 48 + attributes.version_name.size() + attributes.game_mode.size() +
           attributes.region_id.size() + attributes.tier.size();
  }

  /// The nodes of the map have stable addresses, which `attributes_` points to.
  std::unordered_map<lobby_attributes, std::uint32_t> numbers_;
  std::vector<const lobby_attributes*> attributes_;
  std::size_t used_bytes_ = 0;
};

/// A lobby whose attributes are stored in a table.
struct lobby_record {
  uuid lobby_id;
  lobby_times times;
  /// The number of its attributes in the table.
  std::uint32_t attributes = 0;
};

} // namespace matchcloud::model
