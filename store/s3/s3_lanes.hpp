#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/s3/s3_transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace matchcloud::store {

/// A bounded number of lanes, each lent to one call or upload at a time, so that connections are
/// reused and never used by two threads at once. Any thread.
class s3_lanes {
public:
  /// Returns a lane.
  struct give_back {
    s3_lanes* to = nullptr;
    void operator()(s3_lane* lane) const { to->release(lane); }
  };
  using lease = std::unique_ptr<s3_lane, give_back>;

  /// `limit` lanes, each of which keeps at most `connections`.
  s3_lanes(std::size_t limit, std::size_t connections) noexcept
      : limit_{limit}, connections_{connections} {}
  s3_lanes(const s3_lanes&) = delete;
  s3_lanes& operator=(const s3_lanes&) = delete;

  /// Lends a lane, which must be returned before the lanes are destroyed. Fails with `overloaded`
  /// if all are lent. Never waits.
  base::expected<lease> acquire();

  /// Adds the limit, how many lanes are lent and how often none was left.
  void show(base::metric_set& in) const;

  /// Ends the current wait of each lent lane.
  void wake() noexcept;

private:
  void release(s3_lane* lane);

  std::size_t limit_;
  std::size_t connections_;
  base::metric_set metrics_;
  base::counter refused_{
      metrics_,
      {"matchcloud_objects_calls_refused_total",
       "Calls refused because the limit on simultaneous calls to the bucket was reached."}};
  mutable std::mutex mutex_;
  /// The most recently used lane is lent first, because its connections are the freshest.
  std::vector<std::unique_ptr<s3_lane>> idle_;
  std::set<std::unique_ptr<s3_lane>> lent_;
};

} // namespace matchcloud::store
