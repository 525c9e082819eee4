#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A small number that stands for a name and all its spellings.
using name_symbol = std::uint8_t;
/// The symbol of names that are not known.
inline constexpr name_symbol no_symbol = 0;

struct symbol_of_name {
  std::string_view name;
  name_symbol symbol = no_symbol;
};

/// The symbols of at most 127 names, for constants. Immutable, any thread.
class name_table {
public:
  /// How many bytes must be readable from the beginning of a name, however short it is.
  static constexpr std::size_t head_bytes = 16;

  /// The names must differ.
  constexpr explicit name_table(std::span<const symbol_of_name> all) {
    for (const auto& each : all) {
      std::array<char, head_bytes> head{};
      std::ranges::copy(each.name.substr(0, head_bytes), head.begin());
      const auto key = key_of(head.data(), each.name.size());
      auto at = home_of(key);
      while (slots_[at] != 0)
        at = behind(at);
      slots_[at] = static_cast<std::uint8_t>(++size_);
      entries_[size_] = {each.name, key, each.symbol};
    }
  }

  /// The symbol of `name`; `no_symbol` if it has none.
  name_symbol find(std::string_view name) const noexcept {
    std::array<char, head_bytes> head{};
    name.copy(head.data(), head.size());
    return find(head.data(), name);
  }
  /// The same if `head_bytes` can be read from the beginning of `name`, without a branch that
  /// depends on its length.
  name_symbol find_in_text(std::string_view name) const noexcept { return find(name.data(), name); }

private:
  /// The beginning of a name, padded with zeros.
  struct name_key {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::size_t bytes = 0;

    constexpr bool operator==(const name_key&) const = default;
  };
  struct entry {
    std::string_view name;
    name_key key;
    name_symbol symbol = no_symbol;
  };
  static constexpr std::size_t slot_count = 256;
  static constexpr std::size_t entry_limit = 128;
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  static constexpr std::uint64_t word_at(const char* from) noexcept {
    std::array<char, word_bytes> bytes{};
    std::copy_n(from, word_bytes, bytes.begin());
    return std::bit_cast<std::uint64_t>(bytes);
  }
  static_assert(std::endian::native == std::endian::little);

  /// Masks of a word's first bytes, by the number of bytes.
  static constexpr auto masks = [] {
    std::array<std::uint64_t, head_bytes + 1> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i < word_bytes ? (std::uint64_t{1} << 8 * i) - 1 : ~std::uint64_t{0};
    return all;
  }();

  static constexpr name_key key_of(const char* head, std::size_t bytes) noexcept {
    const auto counted = std::min(bytes, head_bytes);
    return {word_at(head) & masks[counted],
            word_at(head + word_bytes) & masks[std::max(counted, word_bytes) - word_bytes], bytes};
  }

  static constexpr std::size_t home_of(const name_key& key) noexcept {
    constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;
    return ((key.first ^ (key.second + key.bytes) * odd) * odd) >> 56U;
  }
  static constexpr std::size_t behind(std::size_t at) noexcept { return (at + 1) % slot_count; }

  name_symbol find(const char* head, std::string_view name) const noexcept {
    const auto key = key_of(head, name.size());
    for (auto at = home_of(key); slots_[at] != 0; at = behind(at)) {
      const auto& known = entries_[slots_[at]];
      if (known.key == key && (name.size() <= head_bytes || known.name == name))
        return known.symbol;
    }
    return no_symbol;
  }

  /// Positions in `entries_`, found by linear probing; 0 for none.
  std::array<std::uint8_t, slot_count> slots_{};
  std::array<entry, entry_limit> entries_{};
  std::size_t size_ = 0;
};

/// The names that the parser of a document recognizes: those of a table, and a few more.
struct known_names {
  const name_table* table;
  std::vector<symbol_of_name> further;

  name_symbol symbol_of(std::string_view name) const noexcept {
    return known_or_further(table->find(name), name);
  }
  /// The same if `name_table::head_bytes` can be read from the beginning of `name`.
  name_symbol symbol_in_text(std::string_view name) const noexcept {
    return known_or_further(table->find_in_text(name), name);
  }

private:
  name_symbol known_or_further(name_symbol known, std::string_view name) const noexcept {
    if (known != no_symbol) return known;
    for (const auto& each : further)
      if (each.name == name) return each.symbol;
    return no_symbol;
  }
};

} // namespace matchcloud::model
