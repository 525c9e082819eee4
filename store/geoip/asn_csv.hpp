#pragma once

#include "base/expected.hpp"
#include "store/geoip/range_tree.hpp"

#include <cstddef>
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

  /// Reads the next bytes of the text, which may end within a line. Fails with `geoip_invalid`,
  /// naming the line, if the text is invalid; then it must not be called again.
  base::expected<void> read(std::string_view bytes);

  /// The number of each address, after all bytes were read. Fails with `geoip_invalid` if the text
  /// ends within a line, or has no numbers.
  base::expected<address_table> finish();

private:
  base::expected<void> read_line(std::string_view line);
  tl::unexpected<base::error> refuse(const std::string& reason) const;

  range_tree ranges_;
  /// The beginning of a line whose end has not been read yet.
  std::string rest_;
  /// The number of the current line or, between two lines, of the previous one.
  std::size_t line_ = 0;
  bool has_numbers_ = false;
};

} // namespace matchcloud::store
