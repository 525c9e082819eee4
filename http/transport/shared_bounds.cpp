#include "http/transport/shared_bounds.hpp"

#include <utility>

namespace matchcloud::http {

shared_bounds::shared_bounds(const base::limits& configured, proxy_trust trusted)
    : limits{configured},
      framing{configured.head_limit_bytes, configured.target_limit_bytes,
              framer_limits{}.header_limit, configured.body_limit_bytes},
      budget{configured.byte_budget_bytes},
      trust{std::move(trusted)} {}

} // namespace matchcloud::http
