#include "http/transport/connection_shares.hpp"

#include "base/randomness.hpp"

#include <cstring>

namespace matchcloud::http {

namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::array<std::uint64_t, 2> random_secret() {
  std::array<std::uint8_t, 16> bytes{};
  base::fill_random(bytes);
  std::array<std::uint64_t, 2> secret{};
  std::memcpy(secret.data(), bytes.data(), bytes.size());
  return secret;
}

} // namespace

std::size_t connection_shares::keyed_hash::operator()(const model::ip_address& of) const noexcept {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), of.bytes.data(), of.bytes.size());
  return mixed(mixed(words[0] ^ secret[0]) ^ words[1] ^ secret[1]);
}

connection_shares::connection_shares(std::size_t prefix_length)
    : prefix_length_{prefix_length}, counts_(0, keyed_hash{random_secret()}) {}

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
