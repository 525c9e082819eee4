#include "store/geoip/mmdb_tree.hpp"

#include <algorithm>
#include <span>

namespace matchcloud::store {

namespace {

/// Zero bytes between the tree and the data section.
constexpr std::uint32_t separator_bytes = 16;

constexpr std::uint32_t big_endian(const std::uint8_t* bytes, std::size_t size) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = value << 8U | bytes[i];
  return value;
}

} // namespace

mmdb_tree::mmdb_tree(const stable_file& file, const shape& of)
    : file_{&file}, shape_{of}, pages_(page_count * kept_bytes), numbers_(page_count, UINT64_MAX) {}

std::array<mmdb_tree::child, 2> mmdb_tree::read(std::uint32_t node) {
  const auto node_bytes = shape_.record_bits / 4;
  const auto* const bytes = at(std::uint64_t{node} * node_bytes);
  if (failure_) return {};
  switch (shape_.record_bits) {
  case 24: return {child_of(big_endian(bytes, 3)), child_of(big_endian(bytes + 3, 3))};
  case 28: // the byte in the middle has the highest bits of both
    return {child_of((bytes[3] & 0xF0U) << 20U | big_endian(bytes, 3)),
            child_of((bytes[3] & 0x0FU) << 24U | big_endian(bytes + 4, 3))};
  default: return {child_of(big_endian(bytes, 4)), child_of(big_endian(bytes + 4, 4))};
  }
}

mmdb_tree::child mmdb_tree::child_of(std::uint32_t record) const noexcept {
  const auto count = shape_.node_count;
  if (record == 0) return {child::kind::damaged};
  if (record < count) return {child::kind::node, record};
  if (record == count) return {child::kind::nothing};
  const auto behind = record - count;
  if (behind < separator_bytes || behind - separator_bytes >= shape_.section_bytes)
    return {child::kind::damaged};
  return {child::kind::record, behind - separator_bytes};
}

const std::uint8_t* mmdb_tree::at(std::uint64_t offset) {
  const auto number = offset / page_bytes;
  const auto slot = static_cast<std::size_t>(number % page_count);
  auto* const page = pages_.data() + slot * kept_bytes;
  if (numbers_[slot] != number && !failure_) {
    const auto begin = number * page_bytes;
    const auto size = std::min<std::uint64_t>(kept_bytes, file_->size_bytes() - begin);
    if (auto got = file_->read(begin, {page, static_cast<std::size_t>(size)}); !got)
      failure_ = got.error();
    numbers_[slot] = failure_ ? UINT64_MAX : number;
  }
  return page + offset % page_bytes;
}

} // namespace matchcloud::store
