#pragma once

#include "base/expected.hpp"
#include "store/geoip/offset_set.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// A number, other than 0, for each record of a MaxMind database that has what is wanted. Needed
/// only until its tree is expanded.
class record_numbers {
public:
  record_numbers() = default;
  /// The numbers of the records at `offsets`, in ascending order of offset.
  record_numbers(offset_set offsets, std::vector<std::uint32_t> numbers)
      : records_{std::move(offsets)}, numbers_{std::move(numbers)} {
    records_.count();
  }

  /// The number of the record at `offset`; 0 if it has none or there is no record.
  std::uint32_t find(std::uint32_t offset) const noexcept {
    const auto rank = records_.rank(offset);
    return rank ? numbers_[*rank] : 0;
  }

  bool empty() const noexcept { return numbers_.empty(); }

private:
  offset_set records_;
  /// By the record's rank.
  std::vector<std::uint32_t> numbers_;
};

/// The results of `read`, which returns an `expected<optional<Value>>`, for the records at
/// `offsets`, in ascending order of offset. Removes those that have none from `offsets`. Stops at
/// the first failure and returns it.
template <class Value, class Read>
base::expected<std::vector<Value>> read_records(offset_set& offsets, Read read) {
  std::vector<Value> values;
  values.reserve(offsets.size());
  std::optional<base::error> failure;
  offsets.filter([&](std::uint32_t offset) {
    if (failure) return false;
    auto value = read(offset);
    if (!value) {
      failure = std::move(value.error());
      return false;
    }
    if (*value) values.push_back(**value);
    return value->has_value();
  });
  if (failure) return tl::unexpected(*std::move(failure));
  return values;
}

} // namespace matchcloud::store
