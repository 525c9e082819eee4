#include "store/geoip/asn_csv.hpp"

#include "base/decimal.hpp"
#include "model/text/unicode.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr const char* expected_line =
    "; each line must begin with the first address, the last address and the number of the "
    "autonomous system, such as 1.0.0.0,1.0.0.255,13335";

std::string quoted(std::string_view text) {
  return model::quoted_excerpt(text);
}

/// Takes the first field, without its quotes, and the comma after it from the front of `line`.
std::string_view take_field(std::string_view& line) noexcept {
  const bool is_quoted = line.starts_with('"');
  if (is_quoted) line.remove_prefix(1);
  const auto field = line.substr(0, line.find(is_quoted ? '"' : ','));
  line.remove_prefix(field.size());
  if (is_quoted && !line.empty()) line.remove_prefix(1);
  if (line.starts_with(',')) line.remove_prefix(1);
  return field;
}

} // namespace

tl::unexpected<base::error> asn_csv::refuse(const std::string& reason) const {
  return base::fail(base::errc::geoip_invalid, "line " + std::to_string(line_) + ": " + reason);
}

base::expected<void> asn_csv::read(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (rest_.size() + part.size() > line_limit_bytes) {
      ++line_;
      return refuse("it has more than " + std::to_string(line_limit_bytes) +
                    " bytes; use a CSV file or a MaxMind database");
    }
    if (end == std::string_view::npos) {
      rest_ += part;
      return {};
    }
    bytes.remove_prefix(end + 1);
    ++line_;
    if (rest_.empty()) {
      if (auto done = read_line(part); !done) return done;
      continue;
    }
    rest_ += part;
    if (auto done = read_line(rest_); !done) return done;
    rest_.clear();
  }
  return {};
}

base::expected<void> asn_csv::read_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return {};
  const auto first_text = take_field(line);
  const auto last_text = take_field(line);
  const auto number_text = take_field(line);
  const auto first = model::parse_ip_address(first_text);
  if (!first) return refuse(quoted(first_text) + " is not an IP address" + expected_line);
  const auto last = model::parse_ip_address(last_text);
  if (!last) return refuse(quoted(last_text) + " is not an IP address" + expected_line);
  const auto number = base::parse_decimal<std::uint32_t>(number_text);
  if (!number)
    return refuse(quoted(number_text) + " is not the number of an autonomous system, from 0 to " +
                  std::to_string(UINT32_MAX) + expected_line);
  if (first->is_v4() != last->is_v4())
    return refuse("its range begins with an IPv4 address and ends with an IPv6 address, or the "
                  "other way round; use two addresses of the same family");
  if (*last < *first)
    return refuse("its range ends with " + to_string(*last) + ", before it begins with " +
                  to_string(*first) + "; swap the two");
  const auto known = is_public_asn(*number) ? *number : 0;
  if (known != 0) has_numbers_ = true;
  if (!ranges_.set(*first, *last, known))
    return refuse("with its range, the tree of all ranges has more than " +
                  std::to_string(range_tree::node_limit) + " nodes; join adjacent ranges");
  return {};
}

base::expected<address_table> asn_csv::finish() {
  if (!rest_.empty()) {
    ++line_;
    return refuse(
        "it does not end with a line end, so the file was probably truncated; download it again");
  }
  if (!has_numbers_)
    return base::fail(base::errc::geoip_invalid, "no line has the number of an autonomous system");
  auto made = ranges_.expand();
  if (!made)
    return base::fail(base::errc::geoip_invalid,
                      "its ranges need a table that is too large; join adjacent ranges");
  return *std::move(made);
}

} // namespace matchcloud::store
