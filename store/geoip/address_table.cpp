#include "store/geoip/address_table.hpp"

#include <algorithm>
#include <array>

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
  if (number == (numbers.empty() ? 0 : numbers.back())) return;
  firsts.push_back(first);
  numbers.push_back(number);
}

template <class Key>
void address_table::ranges<Key>::replace(const std::function<std::uint32_t(std::uint32_t)>& by) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_kept = numbers[i] == 0 || numbers[i] == split;
    const auto number = is_kept ? numbers[i] : by(numbers[i]);
    if (number == (kept == 0 ? 0 : numbers[kept - 1])) continue;
    firsts[kept] = firsts[i];
    numbers[kept++] = number;
  }
  firsts.resize(kept);
  numbers.resize(kept);
}

template <class Key>
void address_table::ranges<Key>::finish() {
  begins.reserve(root_count + 1);
  std::uint32_t before = 0;
  for (std::size_t root = 0; root <= root_count; ++root) {
    while (before < firsts.size() && root_of(firsts[before]) < root)
      ++before;
    begins.push_back(before);
  }
}

template <class Key>
std::uint32_t address_table::ranges<Key>::find(Key address) const noexcept {
  if (firsts.empty()) return 0;
  const auto root = root_of(address);
  const auto* behind = firsts.data() + begins[root];
  // The steps are the same whatever the address is, because a processor cannot predict them.
  for (std::size_t left = begins[root + 1] - begins[root]; left > 0;) {
    const auto half = (left + 1) / 2;
    behind += behind[half - 1] <= address ? half : 0;
    left -= half;
  }
  return behind == firsts.data() ? 0
                                 : numbers[static_cast<std::size_t>(behind - firsts.data()) - 1];
}

void address_table::reserve_v6(std::size_t count) {
  v6_.firsts.reserve(count);
  v6_.numbers.reserve(count);
}

void address_table::add(family of, const model::ip_address& first, std::uint32_t number) {
  if (of == family::v4)
    v4_.add(v4_key_of(first), number);
  else
    add_v6(v6_key_of(first), number);
}

void address_table::add_v6(const v6_key& first, std::uint32_t number) {
  if (first.second == 0) return v6_.add(first.first, number);
  const auto before = v6_.numbers.empty() ? 0 : v6_.numbers.back();
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

std::uint32_t address_table::find(const model::ip_address& address) const noexcept {
  if (address.is_v4()) return v4_.find(v4_key_of(address));
  const auto key = v6_key_of(address);
  const auto number = v6_.find(key.first);
  return number == split ? deep_.find(key) : number;
}

} // namespace matchcloud::store
