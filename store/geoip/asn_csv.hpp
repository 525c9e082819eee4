#pragma once

#include "model/net/ip_address.hpp"
#include "store/geoip/address_table.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Reads autonomous systems from CSV (RFC 4180) with the columns first address, last address and
/// number, followed by any others, as in @ip-location-db/asn:
///
///     1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."
///
/// IPv4 and IPv6 may be mixed. Where ranges overlap, the last one counts, because published files
/// have some that do. One thread at a time.
class asn_csv {
public:
  /// The most bytes of a line. Real ones have fewer than 300.
  static constexpr std::size_t line_limit_bytes = 4096;
  /// The most ranges, counting the gaps between them, of about 64 bytes each. All autonomous
  /// systems have less than half as many (@ip-location-db/asn 2.3.2026061719).
  static constexpr std::size_t range_limit = std::size_t{1} << 21U;

  /// Reads the next bytes of the text, which may end within a line. Throws `geoip_invalid`,
  /// naming the line, if the text is invalid; then it must not be called again.
  void read(std::string_view bytes);

  /// The number of each address, after all bytes were read. Throws `geoip_invalid` if the text ends
  /// within a line, or has no numbers.
  address_table finish();

private:
  void read_line(std::string_view line);
  template <class... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> why, Arguments&&... arguments) const;

  /// Gives the addresses from `first` to `last`, of the same family, a number in place of their
  /// previous ones.
  void set(const model::ip_address& first, const model::ip_address& last, std::uint32_t number);

  /// By family: the number from each address to the next; 0: none.
  std::array<std::map<model::ip_address, std::uint32_t>, 2> ranges_;
  /// The beginning of a line whose end has not been read yet.
  std::string rest_;
  /// The number of the current line or, between two lines, of the previous one.
  std::size_t line_ = 0;
  bool has_numbers_ = false;
};

} // namespace matchcloud::store
