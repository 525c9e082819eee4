#pragma once

#include "model/records/line_splitter.hpp"
#include "model/records/record_line.hpp"
#include "model/text/uuid.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace matchcloud::model {

/// When a lobby lived, in milliseconds since 1970. The stop is never before the start.
struct lobby_times {
  std::int64_t start_ts = 0;
  /// Empty while the lobby runs.
  std::optional<std::int64_t> stop_ts;

  friend bool operator==(const lobby_times&, const lobby_times&) = default;
};

/// Merges two reports of one lobby: the earlier start, and the later stop if either has one.
/// Commutative, associative, idempotent.
lobby_times merge(const lobby_times& a, const lobby_times& b) noexcept;

/// The duration class of a lobby that runs.
inline constexpr int running_class = -1;
/// The class of a lobby's duration, as a power of two: the largest k such that 2^k milliseconds do
/// not exceed it. A duration of zero counts as one millisecond. `running_class` while the lobby
/// runs.
int duration_class(const lobby_times& times) noexcept;

/// Everything about a lobby that is fixed for its life and that other lobbies may share.
struct lobby_attributes {
  uuid namespace_id;
  uuid version_id;
  std::string region_id;
  std::string tier;
  std::string version_name;
  std::string game_mode;

  friend auto operator<=>(const lobby_attributes&, const lobby_attributes&) = default;
};

/// The first member in which two attributes differ, with both values: `region_id "fra" is not
/// "iad"`. Empty if they are equal.
std::string difference(const lobby_attributes& found, const lobby_attributes& known);

struct lobby {
  uuid lobby_id;
  lobby_times times;
  lobby_attributes attributes;

  friend bool operator==(const lobby&, const lobby&) = default;
};

} // namespace matchcloud::model

template <>
struct std::hash<matchcloud::model::lobby_attributes> {
  std::size_t operator()(const matchcloud::model::lobby_attributes& attributes) const noexcept;
};

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

/// Reads lines of a lobby import: objects with lobby_id, namespace_id, region_id, tier, version_id,
/// version_name, game_mode, start_ts and stop_ts, which is absent or null while the lobby runs. One
/// thread.
class lobby_line_reader {
public:
  /// Members with the names in `ignored` are skipped; `check_ignored` accepts the names.
  explicit lobby_line_reader(std::vector<std::string> ignored = {});

  /// Fails with `config_invalid` and says why if members of these names cannot be ignored.
  static base::expected<void> check_ignored(std::span<const std::string> names);

  /// Reads `line` into `result`, whose storage it reuses. Returns the first finding in the line, if
  /// any; `result` is then unspecified.
  std::optional<line_finding> read(const input_line& line, lobby& result);

private:
  record_reader reader_;
};

} // namespace matchcloud::model
