#include "store/s3/s3_lanes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace matchcloud::store {

base::expected<s3_lanes::lease> s3_lanes::acquire() {
  const std::lock_guard lock{mutex_};
  if (lent_.size() >= limit_) {
    refused_.add();
    return base::fail(base::errc::overloaded,
                      "All " + std::to_string(limit_) +
                          " connections to the object storage are in use. Retry in a moment.");
  }
  std::unique_ptr<s3_lane> lane;
  if (idle_.empty()) {
    lane = std::make_unique<s3_lane>(connections_);
  } else {
    lane = std::move(idle_.back());
    idle_.pop_back();
  }
  auto* const lent = lane.get();
  lent_.insert(std::move(lane));
  return lease{lent, give_back{this}};
}

void s3_lanes::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_objects_calls_limit", "Limit on simultaneous calls to the bucket."},
               [this] { return limit_; });
  in.add_gauge({"matchcloud_objects_calls_in_progress",
                "Calls to the bucket in progress, including uploads."},
               [this] {
                 const std::lock_guard lock{mutex_};
                 return lent_.size();
               });
  in.add(metrics_);
}

void s3_lanes::wake() noexcept {
  const std::lock_guard lock{mutex_};
  for (const auto& each : lent_)
    each->wake();
}

void s3_lanes::release(s3_lane* lane) {
  const std::lock_guard lock{mutex_};
  const auto found = std::ranges::find(lent_, lane, &std::unique_ptr<s3_lane>::get);
  idle_.push_back(std::move(lent_.extract(found).value()));
}

} // namespace matchcloud::store
