#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

/// Passes a fault point before `operation` on `path`; delays and stalls take place inside. Fails
/// with `store_failed` if the fault is `error`, and with `store_full` if it is `full`; the caller
/// implements the other kinds.
inline base::expected<base::fault> pass(base::fault_point at, std::string_view path,
                                        std::string_view operation) {
  const auto hit = base::faults::strike_blocking(at);
  const bool is_full = hit.kind == base::fault_kind::full;
  if (hit.kind != base::fault_kind::error && !is_full) [[likely]]
    return hit;
  std::string detail{path};
  detail.append(": cannot ").append(operation).append(": ").append(base::faults::reason_at(at));
  return tl::unexpected(base::error{is_full ? base::errc::store_full : base::errc::store_failed,
                                    std::move(detail),
                                    /*for_clients=*/false, /*may_pass=*/!is_full});
}

} // namespace matchcloud::store
