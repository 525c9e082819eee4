#include "store/geoip/range_tree.hpp"

namespace matchcloud::store {

namespace {

constexpr unsigned address_bits = 128;
constexpr unsigned v4_depth = 96;

/// More nodes than one range can need: it leads down to its first and its last address.
constexpr std::size_t nodes_per_range = std::size_t{2} * address_bits;

unsigned bit_of(const model::ip_address& address, unsigned bit) noexcept {
  return address.bytes[bit / 8] >> (7 - bit % 8) & 1U;
}

/// The number of bits before the trailing bits that are all `value`.
unsigned bits_before(const model::ip_address& address, unsigned value) noexcept {
  auto bits = address_bits;
  while (bits > 0 && bit_of(address, bits - 1) == value)
    --bits;
  return bits;
}

} // namespace

/// The part of a range within the addresses that share their first `depth` bits: from the first of
/// them or from `first`, to the last of them or to `last`.
struct range_tree::range {
  unsigned depth = 0;
  const model::ip_address* first = nullptr;
  const model::ip_address* last = nullptr;
  /// From this depth on, `first` is the first address, and `last` the last one.
  unsigned first_bits = 0;
  unsigned last_bits = 0;
};

bool range_tree::set(const model::ip_address& first, const model::ip_address& last,
                     std::uint32_t number) {
  if (nodes_.size() + nodes_per_range > node_limit) return false;
  const bool is_v4 = first.is_v4();
  if (!is_v4) has_v6_ = true;
  set(0, is_v4 ? 1 : 0,
      {is_v4 ? v4_depth : 0, &first, &last, bits_before(first, 0), bits_before(last, 1)}, number);
  return true;
}

void range_tree::set(std::size_t parent, std::size_t side, const range& of, entry number) {
  const bool from_start = of.first == nullptr || of.depth >= of.first_bits;
  const bool to_end = of.last == nullptr || of.depth >= of.last_bits;
  auto at = nodes_[parent][side];
  if (from_start && to_end) {
    nodes_[parent][side] = number;
    return;
  }
  if ((at & node_bit) == 0) {
    const auto made = static_cast<entry>(nodes_.size());
    nodes_.push_back({at, at});
    at = nodes_[parent][side] = node_bit | made;
  }
  const auto below = at & ~node_bit;
  const bool has_zero = from_start || bit_of(*of.first, of.depth) == 0;
  const bool has_one = to_end || bit_of(*of.last, of.depth) == 1;
  auto half = of;
  ++half.depth;
  if (has_zero) {
    half.first = from_start ? nullptr : of.first;
    half.last = has_one ? nullptr : of.last;
    set(below, 0, half, number);
  }
  if (has_one) {
    half.first = has_zero ? nullptr : of.first;
    half.last = to_end ? nullptr : of.last;
    set(below, 1, half, number);
  }
}

address_table::branch range_tree::branch_of(entry from) noexcept {
  const bool is_node = (from & node_bit) != 0;
  return {is_node, from & ~node_bit};
}

std::optional<address_table> range_tree::expand() const {
  const auto read = [this](std::uint32_t number) {
    const auto& [zero, one] = nodes_[number];
    return std::array{branch_of(zero), branch_of(one)};
  };
  const auto& [v6, v4] = nodes_.front();
  return address_table::expand(
      read, nodes_.size(), has_v6_ ? std::optional{branch_of(v6)} : std::nullopt, branch_of(v4));
}

} // namespace matchcloud::store
