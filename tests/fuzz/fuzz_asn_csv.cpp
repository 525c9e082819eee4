// Properties: no text crashes the reader of autonomous systems; it reads a text in parts as it
// reads it whole; and its table knows no other numbers than those that can be public.
#include "store/geoip/asn_csv.hpp"
#include "store/geoip/mmdb_record.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

base::expected<store::address_table> read(std::string_view text, std::size_t part_bytes) {
  return base::attempt([&] {
    store::asn_csv csv;
    for (; !text.empty(); text.remove_prefix(std::min(part_bytes, text.size())))
      csv.read(text.substr(0, part_bytes));
    return csv.finish();
  });
}

} // namespace

/// The first byte gives the size of the parts, the last 16 an address to look up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  model::ip_address wanted;
  if (size < 1 + wanted.bytes.size()) return 0;
  const auto* const end = bytes + size - wanted.bytes.size();
  std::copy(end, bytes + size, wanted.bytes.begin());
  const std::string_view text{reinterpret_cast<const char*>(bytes + 1), size - 1};
  const auto whole = read(text, text.size());
  const auto parts = read(text, 1U + bytes[0]);
  require(whole.has_value() == parts.has_value());
  if (!whole) {
    require(whole.error().code == base::errc::geoip_invalid);
    require(whole.error().detail == parts.error().detail);
    return 0;
  }
  const auto number = whole->find(wanted);
  require(number == 0 || store::is_public_asn(number));
  require(number == parts->find(wanted));
  return 0;
}
