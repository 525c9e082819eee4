#include "http/wire/busiest_networks.hpp"

#include <algorithm>

namespace matchcloud::http {

namespace {

constexpr std::size_t v6_prefix_bits = 48;

model::ip_address network_of(const model::ip_address& client) noexcept {
  auto network = prefix_of(client, v6_prefix_bits);
  if (network.is_v4()) network.bytes.back() = 0;
  return network;
}

std::string text_of(const model::ip_address& network) {
  return to_string(network) + (network.is_v4() ? "/24" : "/" + std::to_string(v6_prefix_bits));
}

} // namespace

void busiest_networks::note(const model::ip_address& client, base::steady_time now) {
  const auto network = network_of(client);
  const std::lock_guard lock{mutex_};
  if (now - began_ >= window) {
    last_ = now - began_ < 2 * window ? current_ : table{};
    current_ = {};
    began_ = now;
  }
  auto* at = std::ranges::find_if(
      current_, [&](const slot& each) { return each.count > 0 && each.network == network; });
  if (at == current_.end()) {
    at = std::ranges::min_element(current_, {}, &slot::count);
    *at = {network, at->count, at->count};
  }
  ++at->count;
}

void busiest_networks::add_to(std::map<std::string, std::uint64_t>& sums,
                              base::steady_time now) const {
  const std::lock_guard lock{mutex_};
  if (now - began_ >= 2 * window) return;
  for (const auto* of : {&last_, &current_})
    for (const auto& each : *of)
      if (each.count > each.inherited) sums[text_of(each.network)] += each.count - each.inherited;
}

} // namespace matchcloud::http
