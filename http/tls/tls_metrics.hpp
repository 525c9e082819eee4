#pragma once

#include "base/metrics.hpp"

namespace matchcloud::http {

/// Counts of the certificates of TLS listeners. Any thread.
struct tls_metrics {
  /// Replaced certificates that were put in force while serving, and those that were rejected.
  base::counter taken;
  base::counter refused;
  /// The earliest end of validity, in seconds since 1970.
  base::gauge first_expiry_s;
};

} // namespace matchcloud::http
