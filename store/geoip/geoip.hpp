#pragma once

#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/net/ip_address.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

class asn_file;
class mmdb_file;

/// What is known about an address, for operators and for clients that ask why they were placed
/// where they are.
struct address_description {
  /// The IPv4 address that a 6to4, NAT64 or Teredo address embeds; otherwise the address itself.
  model::ip_address looked_up;
  /// Empty if the place is unknown.
  std::optional<model::coordinates> at;
  /// Whether the coordinates are the address's own and not its country's.
  bool is_exact = false;
  /// ISO 3166-1 alpha-2, upper case; empty if unknown. Points to static memory.
  std::string_view country;
  /// The autonomous system; 0 if unknown.
  std::uint32_t asn = 0;
  /// The path of the file that decided the address's place; empty if none did.
  std::string file;
  /// The path of the file of autonomous systems; empty without one.
  std::string asn_file;
};

/// MaxMind databases of places, and optionally a file of autonomous systems. Immutable once opened,
/// so any thread may look up addresses.
class geoip {
public:
  /// The most addresses that callers look up together.
  static constexpr std::size_t at_once = 16;

  /// Combines open files: databases of places in order of preference, and a file of autonomous
  /// systems, null for none.
  static std::shared_ptr<const geoip> of(std::vector<std::shared_ptr<const mmdb_file>> files,
                                         std::shared_ptr<const asn_file> asns = nullptr);

  virtual ~geoip() = default;

  /// The number of the place of `address`: the same for all addresses of a place, from 1; 0 if its
  /// place is unknown. The first file that has coordinates decides or, if none has any, the first
  /// that names a country. A 6to4, NAT64 or Teredo address is located as the IPv4 address embedded
  /// in it. Never fails and does not allocate. Takes about 0.2 microseconds.
  std::uint32_t find(const model::ip_address& address) const noexcept {
    std::uint32_t number = 0;
    find({&address, 1}, {&number, 1});
    return number;
  }
  /// The numbers of several addresses.
  virtual void find(std::span<const model::ip_address> addresses,
                    std::span<std::uint32_t> numbers) const noexcept = 0;
  /// The place with a number that `find` returned, other than 0.
  virtual model::coordinates at(std::uint32_t number) const noexcept = 0;
  /// The country of a place by its number from `find`, as ISO 3166-1 alpha-2 in upper case: as
  /// named by the file that decided the place. Empty for 0, and if that file names none. Points to
  /// static memory.
  virtual std::string_view country_of(std::uint32_t number) const noexcept = 0;

  /// The numbers of the autonomous systems of several addresses; 0 where unknown, and
  /// everywhere without a file of autonomous systems. Addresses that embed an IPv4 address are
  /// looked up as the IPv4 address. Never fails and does not allocate; takes as long as `find`.
  virtual void asns(std::span<const model::ip_address> addresses,
                    std::span<std::uint32_t> numbers) const noexcept = 0;

  /// Where `address` is, if that is known.
  std::optional<model::coordinates> locate(const model::ip_address& address) const noexcept {
    const auto number = find(address);
    return number != 0 ? std::optional{at(number)} : std::nullopt;
  }

  /// Everything known about `address`, and from which files. Allocates.
  virtual address_description describe(const model::ip_address& address) const = 0;
};

/// The address that is looked up for `address`: the IPv4 address that a 6to4, NAT64 or Teredo
/// address embeds, else the address itself.
model::ip_address looked_up(const model::ip_address& address) noexcept;

/// The groups of clients that an address belongs to, according to the files. If `in` is null, only
/// its network is known. An IPv6 address that embeds an IPv4 address belongs to the IPv4 address's
/// groups. Any thread.
model::client_cells client_cells_of(const geoip* in, const model::ip_address& address) noexcept;
/// The same for several addresses. `places` receives the numbers of their places, see
/// `geoip::find`.
void client_cells_of(const geoip* in, std::span<const model::ip_address> addresses,
                     std::span<model::client_cells> cells,
                     std::span<std::uint32_t> places) noexcept;

} // namespace matchcloud::store
