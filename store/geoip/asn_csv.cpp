#include "store/geoip/asn_csv.hpp"

#include "base/decimal.hpp"
#include "model/text/unicode.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <iterator>
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

address_table::family family_of(const model::ip_address& address) noexcept {
  return address.is_v4() ? address_table::family::v4 : address_table::family::v6;
}

/// The address after `address`; nothing after the last one of its family.
std::optional<model::ip_address> address_after(model::ip_address address) noexcept {
  const std::size_t first = address.is_v4() ? model::mapped_prefix_bits / 8 : 0;
  for (auto i = address.bytes.size(); i > first; --i)
    if (++address.bytes[i - 1] != 0) return address;
  return std::nullopt;
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

template <class... Arguments>
void asn_csv::refuse(fmt::format_string<Arguments...> why, Arguments&&... arguments) const {
  refuse_geoip("line {}: {}", line_, fmt::format(why, std::forward<Arguments>(arguments)...));
}

void asn_csv::read(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (rest_.size() + part.size() > line_limit_bytes) {
      ++line_;
      refuse("it has more than {} bytes; use a CSV file or a MaxMind database", line_limit_bytes);
    }
    if (end == std::string_view::npos) {
      rest_ += part;
      return;
    }
    bytes.remove_prefix(end + 1);
    ++line_;
    if (rest_.empty()) {
      read_line(part);
      continue;
    }
    rest_ += part;
    read_line(rest_);
    rest_.clear();
  }
}

void asn_csv::read_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  const auto first_text = take_field(line);
  const auto last_text = take_field(line);
  const auto number_text = take_field(line);
  const auto first = model::parse_ip_address(first_text);
  if (!first) refuse("{} is not an IP address{}", quoted(first_text), expected_line);
  const auto last = model::parse_ip_address(last_text);
  if (!last) refuse("{} is not an IP address{}", quoted(last_text), expected_line);
  const auto number = base::parse_decimal<std::uint32_t>(number_text);
  if (!number)
    refuse("{} is not the number of an autonomous system, from 0 to {}{}", quoted(number_text),
           UINT32_MAX, expected_line);
  if (first->is_v4() != last->is_v4())
    refuse("its range begins with an IPv4 address and ends with an IPv6 address, or the "
           "other way round; use two addresses of the same family");
  if (*last < *first)
    refuse("its range ends with {}, before it begins with {}; swap the two", to_string(*last),
           to_string(*first));
  const auto known = is_public_asn(*number) ? *number : 0;
  if (known != 0) has_numbers_ = true;
  set(*first, *last, known);
  if (ranges_[0].size() + ranges_[1].size() > range_limit)
    refuse("with its range, there are more than {} ranges and gaps; join adjacent ranges",
           range_limit);
}

void asn_csv::set(const model::ip_address& first, const model::ip_address& last,
                  std::uint32_t number) {
  auto& ranges = ranges_[static_cast<std::size_t>(family_of(first))];
  auto end = ranges.end();
  if (const auto after = address_after(last)) {
    end = ranges.upper_bound(*after);
    const auto rest = end == ranges.begin() ? 0 : std::prev(end)->second;
    end = ranges.insert_or_assign(end, *after, rest);
  }
  ranges.erase(ranges.lower_bound(first), end);
  ranges.insert_or_assign(end, first, number);
}

address_table asn_csv::finish() {
  if (!rest_.empty()) {
    ++line_;
    refuse(
        "it does not end with a line end, so the file was probably truncated; download it again");
  }
  if (!has_numbers_) refuse_geoip("no line has the number of an autonomous system");
  address_table made;
  for (const auto family : {address_table::family::v4, address_table::family::v6})
    for (const auto& [first, number] : ranges_[static_cast<std::size_t>(family)])
      made.add(family, first, number);
  made.finish();
  return made;
}

} // namespace matchcloud::store
