// Properties: no data section crashes the record reader or makes it read more than the limits
// allow; a returned location is on earth; and a returned autonomous system is a public one.
#include "store/geoip/mmdb_record.hpp"

#include <maxminddb.h>

#include <cmath>
#include <cstdlib>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

/// The first bytes give the offsets of 8 records, 2 bytes each.
constexpr std::size_t offset_count = 8;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2 * offset_count + 1) return 0;
  MMDB_s file{};
  file.data_section = bytes + 2 * offset_count;
  file.data_section_size = static_cast<std::uint32_t>(size - 2 * offset_count);
  static_cast<void>(store::is_sound_value(file));

  store::mmdb_record_reader reader{file};
  for (std::size_t i = 0; i < offset_count; ++i) {
    const auto offset = static_cast<std::uint32_t>((bytes[2 * i] * 256U + bytes[2 * i + 1]) %
                                                   file.data_section_size);
    const auto asn = base::attempt([&] { return reader.read_asn(offset); });
    if (asn && *asn) require(store::is_public_asn(**asn));
    const auto place = base::attempt([&] { return reader.read_place(offset); });
    if (!place) require(place.error().code == base::errc::geoip_invalid);
    if (!place || !*place) continue;
    const auto& [latitude, longitude] = (*place)->at;
    require(std::fabs(latitude) <= 90 && std::fabs(longitude) <= 180);
  }
  return 0;
}
