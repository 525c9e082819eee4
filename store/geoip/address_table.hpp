#pragma once

#include "base/huge_page_array.hpp"
#include "model/net/ip_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace matchcloud::store {

/// A number for each IP address, expanded from a binary search tree for fast look-ups: the first 16
/// bits of an address index an array, and each further byte a block, of which a look-up reads two
/// or three lines of memory. For IPv4 that is at most two blocks instead of 32 nodes. Immutable, so
/// any thread may look up.
class address_table {
public:
  /// All numbers are below this; 0: the address has none.
  static constexpr std::uint32_t number_limit = std::uint32_t{1} << 31U;
  /// The limit on the average number of reads per node while the tree is expanded: one in a tree,
  /// and where networks share a part of it, one for each different alignment.
  static constexpr std::size_t reads_per_node = 2;

  /// One branch of a node: another node, or the number of all addresses below.
  struct branch {
    bool is_node = false;
    std::uint32_t value = 0;
  };
  /// The branches of a node, for a next bit of 0 and of 1.
  using node_reader = std::function<std::array<branch, 2>(std::uint32_t node)>;

  /// The most addresses that are looked up together.
  static constexpr std::size_t at_once = 16;
  address_table() = default;

  /// Expands a tree of `node_count` nodes. `v6`: where IPv6 addresses begin, if the tree has any;
  /// `v4`: where IPv4 addresses begin. Blocks below the same node are made once, regardless of the
  /// branches that lead there, and a cycle leads to no number. Returns nothing if more nodes would
  /// be read than `reads_per_node` allows, because no real database shares parts of its tree that
  /// much.
  static std::optional<address_table> expand(const node_reader& read, std::size_t node_count,
                                             std::optional<branch> v6, branch v4);

  /// The number of `address` exactly as written; 0 if it has none.
  std::uint32_t find(const model::ip_address& address) const noexcept {
    std::uint32_t number = 0;
    find({&address, 1}, {&number, 1});
    return number;
  }
  /// The numbers of several addresses, at most `at_once`. Their look-ups wait for memory together
  /// and not one after the other.
  void find(std::span<const model::ip_address> addresses,
            std::span<std::uint32_t> numbers) const noexcept;

  /// The memory that the table uses, in bytes.
  std::size_t bytes() const noexcept;

private:
  class expansion;
  using words = base::huge_page_array<std::uint32_t>;

  /// Set in entries that are the position of a block.
  static constexpr std::uint32_t block_bit = number_limit;
  static constexpr std::size_t v4_bytes = 4;
  static constexpr std::size_t v6_bytes = 16;
  static constexpr std::size_t root_bytes = 2;
  static constexpr std::size_t root_count = std::size_t{1} << 8 * root_bytes;
  static constexpr unsigned block_entries = 256;
  /// A block has one entry for each run of equal entries. It begins with a bit for each byte, set
  /// where a run begins, in words of 64; then how many runs begin before each word, in one byte
  /// each.
  static constexpr unsigned word_bits = 64;
  static constexpr std::size_t counts_at = block_entries / 32;
  static constexpr std::size_t entries_at = counts_at + 1;

  /// The position in the blocks of the entry of `byte` in a block.
  std::size_t position_in(std::uint32_t block, std::uint8_t byte) const noexcept;

  /// Indexed by the first 16 bits, `root_count` entries; empty: the table has no such addresses.
  words v4_;
  words v6_;
  /// All blocks, each after those that it leads to.
  words blocks_;
};

} // namespace matchcloud::store
