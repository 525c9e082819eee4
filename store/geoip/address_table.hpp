#pragma once

#include "model/net/ip_address.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// A number for each IP address, as ranges in ascending order. A look-up costs about 100
/// instructions, a walk down the tree of a MaxMind database ten times as many. Once finished it is
/// immutable, so any thread may look up.
class address_table {
public:
  enum class family : std::uint8_t { v4, v6 };

  /// Reserves addresses of memory for `count` ranges of IPv6, so that growing copies nothing.
  void reserve_v6(std::size_t count);
  /// Gives the addresses from `first` to the next range, or to the last of the family, a number
  /// below 2^32 - 1; 0: none. The ranges of a family must be added in ascending order. Addresses
  /// before the first range have no number.
  void add(family of, const model::ip_address& first, std::uint32_t number);
  /// Replaces each number other than 0.
  void replace(const std::function<std::uint32_t(std::uint32_t)>& by);
  /// Prepares look-ups. Call this last.
  void finish();

  /// The number of `address` exactly as written; 0 if it has none.
  std::uint32_t find(const model::ip_address& address) const noexcept;

private:
  using v6_key = std::pair<std::uint64_t, std::uint64_t>;

  template <class Key>
  struct ranges {
    void add(Key first, std::uint32_t number);
    void replace(const std::function<std::uint32_t(std::uint32_t)>& by);
    void finish();
    std::uint32_t find(Key address) const noexcept;

    std::vector<Key> firsts;
    std::vector<std::uint32_t> numbers;
    /// How many ranges begin before the addresses with some first 16 bits, for each 16 bits and
    /// for the end.
    std::vector<std::uint32_t> begins;
  };

  /// In `v6_`: the addresses that share their first 64 bits have several numbers, in `deep_`. Few
  /// networks are so small, so the others need not keep 128 bits.
  static constexpr std::uint32_t split = UINT32_MAX;

  void add_v6(const v6_key& first, std::uint32_t number);

  ranges<std::uint32_t> v4_;
  ranges<std::uint64_t> v6_;
  ranges<v6_key> deep_;
};

} // namespace matchcloud::store
