#include "http/transport/shared_bounds.hpp"

#include "base/randomness.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

/// The configured limits, as far as the plane has its own.
http::limits limits_of(http::limits configured, plane of) {
  if (of == plane::data) return configured;
  configured.connection_limit = configured.ops_connection_limit;
  configured.byte_budget_bytes = configured.ops_byte_budget_bytes;
  // No further bound on waiting requests, which would turn health checks away: a request waits in
  // its owner's mailbox, or with its connection for the front.
  configured.in_flight_limit = configured.ops_connection_limit;
  for (std::size_t i = 0; i < base::owner_count; ++i)
    if (base::owner_table[i].home == base::owner_home::pool_of_ops)
      configured.in_flight_limit += configured.mailboxes[i];
  // Probes and operators often come from one address.
  configured.connection_share_percent = 100;
  return configured;
}

framer_limits framing_of(const http::limits& limits, plane of) {
  framer_limits framing{limits.head_limit_bytes, limits.target_limit_bytes,
                        framer_limits{}.header_limit, limits.body_limit_bytes, of == plane::ops};
  for (const auto& row : operations)
    if (row.plane == of && row.body == body_kind::json_lines)
      framing.body_limit_bytes = std::max(framing.body_limit_bytes, row.body_limit_bytes);
  return framing;
}

} // namespace

connection_shares::connection_shares(std::size_t prefix_length)
    : prefix_length_{prefix_length}, counts_(0, keyed_hash{base::random_siphash_key()}) {}

bool connection_shares::enter(const model::ip_address& client, std::size_t most) {
  const std::lock_guard lock{mutex_};
  auto& count = counts_[client_of(client)];
  if (count >= most) return false;
  ++count;
  return true;
}

void connection_shares::leave(const model::ip_address& client) noexcept {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(client_of(client));
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

std::size_t connection_shares::count_of(const model::ip_address& client) const noexcept {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(client_of(client));
  return found == counts_.end() ? 0 : found->second;
}

plane_limits::plane_limits(const http::limits& configured, proxy_trust trusted, plane of)
    : limits{limits_of(configured, of)},
      framing{framing_of(limits, of)},
      trust{std::move(trusted)} {}

shared_bounds::shared_bounds(const http::limits& configured, proxy_trust trusted, plane of)
    : plane_limits{configured, std::move(trusted), of},
      serves{of},
      budget{limits.byte_budget_bytes},
      shares{limits.ipv6_client_prefix},
      networks{network_prefix_length} {
  base::fill_random({reinterpret_cast<std::uint8_t*>(lane_key.data()), sizeof lane_key});
}

void shared_bounds::show(base::metric_set& in) const {
  const base::metric_text data{"matchcloud_budget_used_bytes",
                               "Request and response bytes held, out of the byte budget."};
  const base::metric_text ops{"matchcloud_ops_budget_used_bytes",
                              "Request and response bytes held by the ops plane."};
  in.add_gauge(serves == plane::data ? data : ops, [this] { return budget.used_bytes(); });
}

} // namespace matchcloud::http
