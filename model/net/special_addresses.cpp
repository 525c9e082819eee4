#include "model/net/special_addresses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace matchcloud::model {

namespace {

constexpr std::array<std::uint8_t, 2> six_to_four_prefix{0x20, 0x02};
constexpr std::array<std::uint8_t, 4> teredo_prefix{0x20, 0x01, 0, 0};
constexpr std::array<std::uint8_t, 12> nat64_prefix{0x00, 0x64, 0xFF, 0x9B};

template <std::size_t Size>
bool starts_with(const ip_address& address, const std::array<std::uint8_t, Size>& prefix) noexcept {
  return std::equal(prefix.begin(), prefix.end(), address.bytes.begin());
}

/// Inverts all bits. Teredo stores them inverted to protect them from NATs that rewrite anything
/// that looks like their address.
ip_address turned_over(std::span<const std::uint8_t, 4> octets) noexcept {
  std::array<std::uint8_t, 4> plain{};
  std::transform(octets.begin(), octets.end(), plain.begin(),
                 [](auto octet) { return static_cast<std::uint8_t>(~octet); });
  return ip_address::from_v4(plain);
}

} // namespace

std::optional<embedded_address> find_embedded_v4(const ip_address& address) noexcept {
  const std::span bytes{address.bytes};
  if (starts_with(address, six_to_four_prefix))
    return embedded_address{embedding::six_to_four, ip_address::from_v4(bytes.subspan<2, 4>())};
  if (starts_with(address, teredo_prefix))
    return embedded_address{embedding::teredo, turned_over(bytes.last<4>())};
  if (starts_with(address, nat64_prefix))
    return embedded_address{embedding::nat64, ip_address::from_v4(bytes.last<4>())};
  return std::nullopt;
}

namespace {

constexpr cidr v4_block(std::array<std::uint8_t, 4> network, int prefix_length) {
  cidr block{{}, mapped_prefix_bits + prefix_length};
  block.network.bytes[10] = 0xFF;
  block.network.bytes[11] = 0xFF;
  std::copy(network.begin(), network.end(), block.network.bytes.begin() + 12);
  return block;
}

/// A block from the first groups of its network; the remaining groups are zero.
constexpr cidr v6_block(std::initializer_list<unsigned> groups, int prefix_length) {
  cidr block{{}, prefix_length};
  auto* out = block.network.bytes.data();
  for (const unsigned group : groups) {
    *out++ = static_cast<std::uint8_t>(group >> 8);
    *out++ = static_cast<std::uint8_t>(group & 0xFF);
  }
  return block;
}

struct special_block {
  cidr block;
  bool globally_reachable;
};

// IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), as of 2025-10-09,
// column "Globally Reachable". Nested blocks are listed smallest first, because the first block
// that contains an address decides. Blocks that the rest of this file handles correctly are
// omitted: reachable ones that are in no other block, and those outside of global unicast.
constexpr std::array special_blocks{
    special_block{v4_block({0, 0, 0, 0}, 8), false},                   // this network
    special_block{v4_block({10, 0, 0, 0}, 8), false},                  // private
    special_block{v4_block({100, 64, 0, 0}, 10), false},               // shared by carriers
    special_block{v4_block({127, 0, 0, 0}, 8), false},                 // loopback
    special_block{v4_block({169, 254, 0, 0}, 16), false},              // link local
    special_block{v4_block({172, 16, 0, 0}, 12), false},               // private
    special_block{v4_block({192, 0, 0, 9}, 32), true},                 // PCP anycast
    special_block{v4_block({192, 0, 0, 10}, 32), true},                // TURN anycast
    special_block{v4_block({192, 0, 0, 0}, 24), false},                // IETF protocol assignments
    special_block{v4_block({192, 0, 2, 0}, 24), false},                // documentation
    special_block{v4_block({192, 88, 99, 0}, 24), false},              // 6to4 relays, deprecated
    special_block{v4_block({192, 168, 0, 0}, 16), false},              // private
    special_block{v4_block({198, 18, 0, 0}, 15), false},               // benchmarking
    special_block{v4_block({198, 51, 100, 0}, 24), false},             // documentation
    special_block{v4_block({203, 0, 113, 0}, 24), false},              // documentation
    special_block{v4_block({224, 0, 0, 0}, 4), false},                 // multicast (RFC 5771)
    special_block{v4_block({240, 0, 0, 0}, 4), false},                 // reserved, broadcast
    special_block{v6_block({0x2001, 1, 0, 0, 0, 0, 0, 1}, 128), true}, // PCP anycast
    special_block{v6_block({0x2001, 1, 0, 0, 0, 0, 0, 2}, 128), true}, // TURN anycast
    special_block{v6_block({0x2001, 1, 0, 0, 0, 0, 0, 3}, 128), true}, // DNS-SD SRP anycast
    special_block{v6_block({0x2001, 3}, 32), true},                    // AMT
    special_block{v6_block({0x2001, 4, 0x112}, 48), true},             // AS112
    special_block{v6_block({0x2001, 0x20}, 28), true},                 // ORCHIDv2
    special_block{v6_block({0x2001, 0x30}, 28), true},                 // drone remote ids
    special_block{v6_block({0x2001}, 23), false}, // IETF protocol assignments, Teredo among them
    special_block{v6_block({0x2001, 0xDB8}, 32), false}, // documentation
    special_block{v6_block({0x3FFF}, 20), false},        // documentation
};

/// All IPv6 unicast space that was ever assigned (IANA IPv6 Address Space). Everything that the
/// registries list outside of it is not reachable (100::/64, 64:ff9b:1::/48, 5f00::/16, fc00::/7,
/// fe80::/10), nor are fec0::/10, multicast, IPv4-compatible and unassigned addresses.
constexpr cidr global_unicast = v6_block({0x2000}, 3);

/// The address at which datagrams for `address` arrive.
ip_address target_of(const ip_address& address) noexcept {
  const auto inside = find_embedded_v4(address);
  // Teredo is a special purpose itself: only its relays can be reached through it.
  return inside && inside->way != embedding::teredo ? inside->v4 : address;
}

} // namespace

bool is_globally_reachable(const ip_address& address) noexcept {
  const auto target = target_of(address);
  const auto* const special =
      std::ranges::find_if(special_blocks, [&target](const special_block& candidate) {
        return candidate.block.contains(target);
      });
  if (special != special_blocks.end()) return special->globally_reachable;
  return target.is_v4() || global_unicast.contains(target);
}

} // namespace matchcloud::model
