#pragma once

#include "store/latency_store.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace matchcloud::simulation {

/// Learned latencies as `store::latency_store` says, as plainly as possible. Any thread.
class latency_table {
public:
  base::expected<void> add(std::span<const model::learned_entry> learned);
  store::latency_page read(const store::latency_position& after, std::size_t limit) const;
  std::size_t expire(std::uint32_t before_minute, std::size_t most);

private:
  struct row {
    model::learned_entry entry;
    std::int64_t revision = 0;
  };

  mutable std::mutex mutex_;
  std::int64_t revision_ = 0;
  /// By cell and region.
  std::map<std::pair<std::uint64_t, std::string>, row> rows_;
};

} // namespace matchcloud::simulation
