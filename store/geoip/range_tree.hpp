#pragma once

#include "model/net/ip_address.hpp"
#include "store/geoip/address_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// A binary search tree built from ranges of addresses, to be expanded into an `address_table`. One
/// thread at a time.
class range_tree {
public:
  /// The most nodes that a tree may have, of 8 bytes each. The tree of all autonomous systems has
  /// 1.2 million (@ip-location-db/asn 2.3.2026061719).
  static constexpr std::size_t node_limit = std::size_t{1} << 24U;

  /// Gives the addresses from `first` to `last`, of the same family and in this order, a number
  /// below `address_table::number_limit`, or 0 for none. It replaces their previous numbers.
  /// Returns false if the tree would have more than `node_limit` nodes.
  bool set(const model::ip_address& first, const model::ip_address& last, std::uint32_t number);

  /// Returns nothing if the tree cannot be expanded, as in `address_table::expand`.
  std::optional<address_table> expand() const;

  std::size_t node_count() const noexcept { return nodes_.size(); }

private:
  /// A number or, with `node_bit`, the position of a node.
  using entry = std::uint32_t;
  using node = std::array<entry, 2>;
  static constexpr entry node_bit = address_table::number_limit;

  struct range;
  void set(std::size_t parent, std::size_t side, const range& of, entry number);

  static address_table::branch branch_of(entry from) noexcept;

  /// The first node is not part of a tree: its entries are the trees of IPv6 and of IPv4.
  std::vector<node> nodes_{node{}};
  bool has_v6_ = false;
};

} // namespace matchcloud::store
