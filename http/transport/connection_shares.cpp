#include "http/transport/connection_shares.hpp"

namespace matchcloud::http {

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

} // namespace matchcloud::http
