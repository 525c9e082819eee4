#include "store/geoip/address_table.hpp"

#include <algorithm>

namespace matchcloud::store {

namespace {

constexpr std::size_t root_count = std::size_t{1} << 16U;

std::uint64_t big_endian(const model::ip_address& address, std::size_t first,
                         std::size_t size) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = first; i < first + size; ++i)
    value = value << 8U | address.bytes[i];
  return value;
}

std::uint32_t v4_key_of(const model::ip_address& address) noexcept {
  return static_cast<std::uint32_t>(big_endian(address, 12, 4));
}

std::pair<std::uint64_t, std::uint64_t> v6_key_of(const model::ip_address& address) noexcept {
  return {big_endian(address, 0, 8), big_endian(address, 8, 8)};
}

/// The first 16 bits of an address.
std::size_t root_of(std::uint32_t v4) noexcept {
  return v4 >> 16U;
}

std::size_t root_of(std::uint64_t v6) noexcept {
  return v6 >> 48U;
}

std::size_t root_of(const std::pair<std::uint64_t, std::uint64_t>& v6) noexcept {
  return root_of(v6.first);
}

} // namespace

template <class Key>
void address_table::ranges<Key>::add(Key first, std::uint32_t number) {
  if (number == numbers.back()) return;
  firsts.push_back(first);
  numbers.push_back(number);
}

template <class Key>
void address_table::ranges<Key>::replace(const std::function<std::uint32_t(std::uint32_t)>& by) {
  std::size_t kept = 1;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool is_kept = numbers[i] == 0 || numbers[i] == split;
    const auto number = is_kept ? numbers[i] : by(numbers[i]);
    if (number == numbers[kept - 1]) continue;
    firsts[kept] = firsts[i];
    numbers[kept++] = number;
  }
  firsts.resize(kept);
  numbers.resize(kept);
}

template <class Key>
void address_table::ranges<Key>::finish() {
  before.reserve(root_count + 1);
  std::uint32_t last = 0;
  for (std::size_t root = 0; root <= root_count; ++root) {
    while (last + 1 < firsts.size() && root_of(firsts[last + 1]) < root)
      ++last;
    before.push_back(last);
  }
}

template <class Key>
void address_table::ranges<Key>::find(std::span<search<Key>> all) const noexcept {
  for (const auto& each : all)
    __builtin_prefetch(&before[root_of(each.key)]);
  std::uint32_t most = 1;
  for (auto& each : all) {
    const auto root = root_of(each.key);
    each.first = before[root];
    each.count = before[root + 1] - before[root] + 1;
    most = std::max(most, each.count);
    __builtin_prefetch(&firsts[each.first + each.count / 2]);
  }
  // Each step halves the ranges that are left, until one is.
  for (; most > 1; most -= most / 2)
    for (auto& each : all) {
      const auto half = each.count / 2;
      each.first += firsts[each.first + half] <= each.key ? half : 0;
      each.count -= half;
      __builtin_prefetch(&firsts[each.first + each.count / 2]);
    }
  for (const auto& each : all)
    __builtin_prefetch(&numbers[each.first]);
  for (const auto& each : all)
    *each.number = numbers[each.first];
}

void address_table::reserve_v6(std::size_t count) {
  v6_.firsts.reserve(count + 1);
  v6_.numbers.reserve(count + 1);
}

void address_table::add(family of, const model::ip_address& first, std::uint32_t number) {
  if (of == family::v4)
    v4_.add(v4_key_of(first), number);
  else
    add_v6(v6_key_of(first), number);
}

void address_table::add_v6(const v6_key& first, std::uint32_t number) {
  if (first.second == 0) return v6_.add(first.first, number);
  const auto before = v6_.numbers.back();
  if (before != split) {
    deep_.add({first.first, 0}, before);
    v6_.add(first.first, split); // of two that begin here, the later one is found
  }
  deep_.add(first, number);
}

void address_table::replace(const std::function<std::uint32_t(std::uint32_t)>& by) {
  v4_.replace(by);
  v6_.replace(by);
  deep_.replace(by);
}

void address_table::finish() {
  v4_.finish();
  v6_.finish();
  deep_.finish();
}

void address_table::find(std::span<const model::ip_address> addresses,
                         std::span<std::uint32_t> numbers) const noexcept {
  const bool is_finished = !v4_.before.empty();
  if (!is_finished) {
    std::ranges::fill(numbers.first(addresses.size()), 0U);
    return;
  }
  std::array<search<std::uint32_t>, at_once> v4;
  std::array<search<std::uint64_t>, at_once> v6;
  std::size_t v4_count = 0;
  std::size_t v6_count = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].is_v4())
      v4[v4_count++] = {v4_key_of(addresses[i]), &numbers[i], 0, 0};
    else
      v6[v6_count++] = {v6_key_of(addresses[i]).first, &numbers[i], 0, 0};
  }
  v4_.find(std::span{v4}.first(v4_count));
  v6_.find(std::span{v6}.first(v6_count));
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (numbers[i] != split) continue;
    search<v6_key> deep{v6_key_of(addresses[i]), &numbers[i], 0, 0};
    deep_.find({&deep, 1});
  }
}

} // namespace matchcloud::store
