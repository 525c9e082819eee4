#include "store/geoip/address_table.hpp"

#include "store/geoip/node_entries.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace matchcloud::store {

/// Makes the entries and blocks of one tree.
class address_table::expansion {
public:
  expansion(const node_reader& read, std::size_t node_count)
      : read_{&read},
        reads_left_{reads_per_node * node_count + 2 * root_count},
        blocks_{limit_of(node_count)} {}

  /// The entries of addresses of `byte_count` bytes.
  words roots_of(branch from, std::size_t byte_count) {
    words roots{root_count};
    fill(roots.extend(root_count), from, byte_count - root_bytes);
    return roots;
  }

  bool is_exhausted() const noexcept { return reads_left_ == 0; }
  words take_blocks() noexcept {
    blocks_.trim();
    return std::move(blocks_);
  }

private:
  /// The most words that blocks can have. Each block belongs to a node and is made once; it has at
  /// most one run more than the nodes that were read for it.
  std::size_t limit_of(std::size_t node_count) const noexcept {
    return std::min<std::size_t>(node_count * (entries_at + 1) + reads_left_, number_limit);
  }

  /// Writes the entries of the addresses below `from`. `bytes_left`: the bytes of an address after
  /// these entries.
  void fill(std::span<std::uint32_t> entries, branch from, std::size_t bytes_left) {
    if (!from.is_node) {
      std::ranges::fill(entries, from.value);
    } else if (entries.size() == 1) {
      entries.front() = bytes_left > 0 ? block_of(from.value, bytes_left) : 0;
    } else if (reads_left_ > 0) {
      --reads_left_;
      const auto [zero, one] = (*read_)(from.value);
      const auto half = entries.size() / 2;
      fill(entries.first(half), zero, bytes_left);
      fill(entries.last(half), one, bytes_left);
    }
  }

  /// The entry for the block of the addresses below a node; makes the block if needed.
  std::uint32_t block_of(std::uint32_t node, std::size_t bytes_left) {
    if (const auto known = known_.find(node)) return *known;
    known_.set(node, 0); // a cycle leads to no number
    std::array<std::uint32_t, block_entries> entries{};
    fill(entries, {true, node}, bytes_left - 1);
    const auto made = append(entries);
    known_.set(node, made);
    return made;
  }

  std::uint32_t append(const std::array<std::uint32_t, block_entries>& entries) {
    const auto block = blocks_.size();
    if (block + entries_at + block_entries > number_limit) { // beyond what an entry can name
      reads_left_ = 0;
      return 0;
    }
    blocks_.extend(entries_at);
    std::array<std::uint64_t, block_entries / word_bits> begins{};
    std::uint32_t counts = 0;
    std::uint32_t runs = 0;
    for (unsigned i = 0; i < block_entries; ++i) {
      if (i % word_bits == 0) counts |= runs << (8 * (i / word_bits));
      if (i > 0 && entries[i] == entries[i - 1]) continue;
      begins[i / word_bits] |= std::uint64_t{1} << i % word_bits;
      blocks_.push_back(entries[i]);
      ++runs;
    }
    std::memcpy(blocks_.data() + block, begins.data(), sizeof begins);
    blocks_[block + counts_at] = counts;
    return block_bit | static_cast<std::uint32_t>(block);
  }

  const node_reader* read_;
  /// The entries for the blocks of nodes.
  node_entries known_;
  std::size_t reads_left_;
  words blocks_;
};

std::optional<address_table> address_table::expand(const node_reader& read, std::size_t node_count,
                                                   std::optional<branch> v6, branch v4) {
  address_table made;
  expansion expanding{read, node_count};
  made.v4_ = expanding.roots_of(v4, v4_bytes);
  if (v6) made.v6_ = expanding.roots_of(*v6, v6_bytes);
  if (expanding.is_exhausted()) return std::nullopt;
  made.blocks_ = expanding.take_blocks();
  return made;
}

std::size_t address_table::position_in(std::uint32_t block, std::uint8_t byte) const noexcept {
  const auto* const begin = blocks_.data() + block;
  const unsigned word = byte / word_bits;
  std::uint64_t bits = 0;
  std::memcpy(&bits, begin + std::size_t{2} * word, sizeof bits);
  const auto upto = ~std::uint64_t{0} >> (word_bits - 1 - byte % word_bits);
  const auto before = begin[counts_at] >> (8 * word) & 0xFFU;
  const auto run = before + static_cast<unsigned>(std::popcount(bits & upto));
  return block + entries_at + run - 1;
}

void address_table::find(std::span<const model::ip_address> addresses,
                         std::span<std::uint32_t> numbers) const noexcept {
  struct look_up {
    /// What the next step reads.
    const std::uint32_t* next = nullptr;
    std::uint32_t entry = 0;
    std::size_t byte = 0;
  };
  std::array<look_up, at_once> all;
  const auto count = addresses.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& bytes = addresses[i].bytes;
    const bool v4 = addresses[i].is_v4();
    const auto& roots = v4 ? v4_ : v6_;
    if (roots.empty()) continue;
    const auto first = v4 ? v6_bytes - v4_bytes : 0;
    all[i].next = &roots[std::size_t{bytes[first]} << 8U | bytes[first + 1]];
    all[i].byte = first + root_bytes;
    __builtin_prefetch(all[i].next);
  }
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < count; ++i) {
      auto& [next, entry, byte] = all[i];
      if (next == nullptr) continue;
      entry = *next;
      if ((entry & block_bit) != 0) __builtin_prefetch(blocks_.data() + (entry & ~block_bit));
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto& [next, entry, byte] = all[i];
      const bool is_block = next != nullptr && (entry & block_bit) != 0;
      next = nullptr;
      if (!is_block) continue;
      if (byte == v6_bytes) { // a cycle
        entry = 0;
        continue;
      }
      next = blocks_.data() + position_in(entry & ~block_bit, addresses[i].bytes[byte++]);
      __builtin_prefetch(next);
      goes_on = true;
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = all[i].entry;
}

std::size_t address_table::bytes() const noexcept {
  return (v4_.size() + v6_.size() + blocks_.size()) * sizeof(std::uint32_t);
}

} // namespace matchcloud::store
