#pragma once

#include "base/metrics.hpp"

namespace matchcloud::store {

/// What calls came to, as `object_counts` has it. Any thread.
struct s3_counters {
  base::counter succeeded;
  base::counter failed;
  base::counter repetitions;
  base::counter sent_bytes;
  base::counter received_bytes;
  base::gauge answered_ts;
};

} // namespace matchcloud::store
