#pragma once

#include "model/net/ip_address.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// A number for each IP address, as ranges in ascending order. A look-up costs about 100
/// instructions, a walk down the tree of a MaxMind database ten times as many. Once finished it is
/// immutable, so any thread may look up.
class address_table {
public:
  enum class family : std::uint8_t { v4, v6 };

  /// The most addresses that are looked up together.
  static constexpr std::size_t at_once = 16;

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
  std::uint32_t find(const model::ip_address& address) const noexcept {
    std::uint32_t number = 0;
    find({&address, 1}, {&number, 1});
    return number;
  }
  /// The numbers of at most `at_once` addresses. Their look-ups wait for memory together: each step
  /// prefetches for all of them what the next one reads.
  void find(std::span<const model::ip_address> addresses,
            std::span<std::uint32_t> numbers) const noexcept;

private:
  using v6_key = std::pair<std::uint64_t, std::uint64_t>;

  /// A look-up: the wanted range is one of `count` from `first`.
  template <class Key>
  struct search {
    Key key;
    /// Receives the result.
    std::uint32_t* number;
    std::uint32_t first;
    std::uint32_t count;
  };

  template <class Key>
  struct ranges {
    void add(Key first, std::uint32_t number);
    void replace(const std::function<std::uint32_t(std::uint32_t)>& by);
    void finish();
    void find(std::span<search<Key>> all) const noexcept;

    /// Begins with a range without a number, so that each address is in a range.
    std::vector<Key> firsts{Key{}};
    std::vector<std::uint32_t> numbers{0};
    /// The last range that begins before the addresses with some first 16 bits, for each 16 bits
    /// and for the end; 0 for the first.
    std::vector<std::uint32_t> before;
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
