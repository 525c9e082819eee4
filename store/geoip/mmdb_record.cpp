#include "store/geoip/mmdb_record.hpp"

#include "model/catalog/parse_coordinates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace matchcloud::store {

namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

enum class field_type : uint8_t {
  /// In a control byte: the type is in the next byte. In a `field`: no field could be read.
  extended = 0,
  pointer = 1,
  utf8_string = 2,
  double_float = 3,
  bytes = 4,
  uint16 = 5,
  uint32 = 6,
  map = 7,
  int32 = 8,
  uint64 = 9,
  uint128 = 10,
  array = 11,
  boolean = 14,
  single_float = 15,
};

/// A field and the position of its payload. Small enough to be returned in registers: an optional
/// would be returned through memory, which takes longer than everything else.
struct field {
  field_type type = field_type::extended;
  /// Byte count of a scalar, number of entries of a map or array, value of a boolean, or target of
  /// a pointer.
  uint32_t size = 0;
  /// Offset of the first byte after the control bytes.
  size_t payload = 0;

  explicit operator bool() const noexcept { return type != field_type::extended; }

  bool is_container() const noexcept {
    return type == field_type::map || type == field_type::array;
  }
};

/// The members of a record that are read.
enum class member : uint8_t {
  other,
  latitude,
  longitude,
  location,
  country,
  country_code,
  registered_country,
  iso_code,
  autonomous_system_number,
};
constexpr size_t member_count = 9;

constexpr std::array<std::string_view, member_count> member_names{"",
                                                                  "latitude",
                                                                  "longitude",
                                                                  "location",
                                                                  "country",
                                                                  "country_code",
                                                                  "registered_country",
                                                                  "iso_code",
                                                                  "autonomous_system_number"};

member member_of(std::string_view key) noexcept {
  for (size_t i = 1; i < member_count; ++i)
    if (member_names[i] == key) return static_cast<member>(i);
  return member::other;
}

/// The offsets of the values of the members that are read.
class field_places {
public:
  std::optional<size_t>& operator[](member which) noexcept {
    return places_[static_cast<size_t>(which)];
  }
  const std::optional<size_t>& operator[](member which) const noexcept {
    return places_[static_cast<size_t>(which)];
  }

private:
  std::array<std::optional<size_t>, member_count> places_;
};

/// What `skip` requires of pointers, which it does not follow.
enum class pointers : uint8_t { within_section, to_scalars };

/// Reads at most `field_limit` fields from a data section. Every read checks its bounds; after the
/// first failure `sound` is false.
class field_reader {
public:
  field_reader(std::span<const uint8_t> section, uint64_t field_limit, pointers allowed) noexcept
      : section_(section), fields_left_(field_limit), allowed_(allowed) {}

  bool sound() const noexcept { return sound_; }
  uint64_t fields_left() const noexcept { return fields_left_; }

  field read(size_t offset) noexcept;
  /// Reads a field like `read`, but follows a pointer. The format does not allow a pointer to a
  /// pointer.
  field read_target(size_t offset) noexcept;
  /// Returns the offset after the field at `offset` and everything nested in it.
  std::optional<size_t> skip(size_t offset, int depth = 0) noexcept;
  /// Finds the values of the members that are read in the map, or pointer to a map, at `offset`;
  /// none if it is something else. Reads the map to its end.
  field_places find_places(size_t offset, mmdb_key_memo& memo) noexcept;
  std::optional<double> read_number(size_t offset) noexcept;
  /// Returns an empty text if the field is not a string.
  std::string_view read_text(size_t offset) noexcept;

private:
  /// Converts to an empty optional or an unreadable field.
  struct nothing {
    operator field() const noexcept { return {}; }
    template <class Value>
    operator std::optional<Value>() const noexcept {
      return std::nullopt;
    }
  };
  nothing give_up() noexcept {
    sound_ = false;
    return {};
  }
  std::optional<uint32_t> big_endian(size_t offset, size_t size) noexcept;
  field read_pointer(unsigned control, size_t offset) noexcept;
  field follow(field from) noexcept;
  std::optional<size_t> behind(field scalar) noexcept;
  std::string_view text(field scalar) noexcept;
  std::optional<member> read_key(field written, mmdb_key_memo& memo) noexcept;

  std::span<const uint8_t> section_;
  uint64_t fields_left_;
  pointers allowed_;
  bool sound_ = true;
};

std::optional<uint32_t> field_reader::big_endian(size_t offset, size_t size) noexcept {
  if (offset > section_.size() || section_.size() - offset < size) return give_up();
  const uint8_t* const bytes = section_.data() + offset;
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value = value << 8 | bytes[i];
  return value;
}

field field_reader::read_pointer(unsigned control, size_t offset) noexcept {
  constexpr std::array<uint32_t, 4> bases{0, 2048, 526336, 0};
  const size_t form = control >> 3 & 3;
  const auto low = big_endian(offset, form + 1);
  if (!low) return {};
  // The longest form ignores the three low bits of the control byte.
  const uint32_t high = form == 3 ? 0 : (control & 7) << (8 * (form + 1));
  return field{field_type::pointer, (high | *low) + bases[form], offset + form + 1};
}

/// Whether a field of `type` can have `size` bytes (or entries).
bool has_sound_size(field_type type, uint32_t size) noexcept {
  switch (type) {
  case field_type::double_float: return size == 8;
  case field_type::single_float: return size == 4;
  case field_type::boolean: return size <= 1;
  case field_type::uint16: return size <= 2;
  case field_type::uint32:
  case field_type::int32: return size <= 4;
  case field_type::uint64: return size <= 8;
  case field_type::uint128: return size <= 16;
  case field_type::extended:
  case field_type::pointer:
  case field_type::utf8_string:
  case field_type::bytes:
  case field_type::map:
  case field_type::array: break;
  }
  return true;
}

field field_reader::read(size_t offset) noexcept {
  if (fields_left_ == 0 || offset >= section_.size()) return give_up();
  --fields_left_;
  const unsigned control = section_[offset++];
  unsigned type = control >> 5;
  if (type == static_cast<unsigned>(field_type::pointer)) return read_pointer(control, offset);
  if (type == static_cast<unsigned>(field_type::extended)) {
    if (offset >= section_.size()) return give_up();
    type = section_[offset++] + 7U;
    if (type < 8 || type > 15 || type == 12 || type == 13) return give_up();
  }
  uint32_t size = control & 31;
  if (size >= 29) {
    constexpr std::array<uint32_t, 3> bases{29, 285, 65821};
    const size_t form = size - 29;
    const auto more = big_endian(offset, form + 1);
    if (!more) return {};
    size = *more + bases[form];
    offset += form + 1;
  }
  const auto known = static_cast<field_type>(type);
  if (!has_sound_size(known, size)) return give_up();
  return field{known, size, offset};
}

field field_reader::follow(field from) noexcept {
  const auto target = read(from.size);
  if (!target || target.type == field_type::pointer) return give_up();
  return target;
}

field field_reader::read_target(size_t offset) noexcept {
  const auto found = read(offset);
  return found && found.type == field_type::pointer ? follow(found) : found;
}

std::optional<size_t> field_reader::behind(field scalar) noexcept {
  if (scalar.type == field_type::boolean) return scalar.payload;
  if (scalar.type == field_type::pointer) {
    if (scalar.size >= section_.size()) return give_up();
    if (allowed_ == pointers::within_section) return scalar.payload;
    const auto target = follow(scalar);
    if (!target || target.is_container()) return give_up();
    return scalar.payload;
  }
  if (section_.size() - scalar.payload < scalar.size) return give_up();
  return scalar.payload + scalar.size;
}

std::optional<size_t> field_reader::skip(size_t offset, int depth) noexcept {
  if (depth > mmdb_depth_limit) return give_up();
  const auto outer = read(offset);
  if (!outer) return std::nullopt;
  if (!outer.is_container()) return behind(outer);
  const uint64_t count = outer.type == field_type::map ? uint64_t{outer.size} * 2 : outer.size;
  std::optional<size_t> next = outer.payload;
  for (uint64_t i = 0; next && i < count; ++i)
    next = skip(*next, depth + 1);
  return next;
}

std::string_view field_reader::text(field scalar) noexcept {
  if (scalar.type != field_type::utf8_string || !behind(scalar)) return {};
  const auto bytes = section_.subspan(scalar.payload, scalar.size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view field_reader::read_text(size_t offset) noexcept {
  const auto found = read_target(offset);
  return found ? text(found) : std::string_view{};
}

/// Returns nothing if the key is not a string.
std::optional<member> field_reader::read_key(field written, mmdb_key_memo& memo) noexcept {
  const bool elsewhere = written.type == field_type::pointer;
  auto& known = memo[written.size % memo.size()];
  if (elsewhere && known.offset == written.size) return static_cast<member>(known.member);
  const auto key = elsewhere ? follow(written) : written;
  if (key.type != field_type::utf8_string) return give_up();
  const auto found = member_of(text(key));
  if (elsewhere && sound_) known = {written.size, static_cast<uint8_t>(found)};
  return found;
}

field_places field_reader::find_places(size_t offset, mmdb_key_memo& memo) noexcept {
  field_places places;
  const auto map = read_target(offset);
  if (!map) return places;
  if (map.type != field_type::map) {
    static_cast<void>(skip(offset)); // no members to find, but the value may be damaged
    return places;
  }
  size_t next = map.payload;
  for (uint32_t i = 0; i < map.size; ++i) {
    const auto written = read(next);
    const auto key = written ? read_key(written, memo) : std::nullopt;
    const auto value = key ? behind(written) : std::nullopt;
    const auto behind_value = value ? skip(*value) : std::nullopt;
    if (!behind_value) return {};
    if (*key != member::other && !places[*key]) places[*key] = *value;
    next = *behind_value;
  }
  return places;
}

std::optional<double> parse_number(std::string_view digits) noexcept {
  double value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> field_reader::read_number(size_t offset) noexcept {
  const auto found = read_target(offset);
  if (!found) return std::nullopt;
  const auto [type, size, payload] = found;
  if (type == field_type::utf8_string) return parse_number(text(found));
  if (type == field_type::double_float) {
    const auto high = big_endian(payload, 4);
    const auto low = big_endian(payload + 4, 4);
    if (!high || !low) return std::nullopt;
    return std::bit_cast<double>(uint64_t{*high} << 32 | *low);
  }
  if (type != field_type::single_float && type != field_type::int32 && type != field_type::uint16 &&
      type != field_type::uint32)
    return std::nullopt;
  const auto bits = big_endian(payload, size);
  if (!bits) return std::nullopt;
  if (type == field_type::single_float) return double{std::bit_cast<float>(*bits)};
  // An int32 shorter than four bytes is not negative, because only leading zero bytes are omitted.
  if (type == field_type::int32) return static_cast<std::int32_t>(*bits);
  return *bits;
}

std::optional<model::coordinates> read_pair(field_reader& reader,
                                            const field_places& places) noexcept {
  if (!places[member::latitude] || !places[member::longitude]) return std::nullopt;
  const auto latitude = reader.read_number(*places[member::latitude]);
  const auto longitude = reader.read_number(*places[member::longitude]);
  if (!latitude || !longitude) return std::nullopt;
  const model::coordinates at{*latitude, *longitude};
  return is_on_earth(at) ? std::optional{at} : std::nullopt;
}

/// The country whose code is at `offset`; null if there is none or it is unknown.
const model::country_place* read_code(field_reader& reader, std::optional<size_t> offset) noexcept {
  return offset ? model::find_country(reader.read_text(*offset)) : nullptr;
}

/// The country of the record whose values are at `places`; null if none is known.
const model::country_place* read_country(field_reader& reader, const field_places& places,
                                         mmdb_key_memo& memo) noexcept {
  const auto in_map = [&](std::optional<size_t> map) noexcept {
    return map ? read_code(reader, reader.find_places(*map, memo)[member::iso_code]) : nullptr;
  };
  const auto* found = in_map(places[member::country]);
  if (found == nullptr) found = read_code(reader, places[member::country_code]);
  if (found == nullptr) found = read_code(reader, places[member::country]);
  if (found == nullptr) found = in_map(places[member::registered_country]);
  return found;
}

std::optional<mmdb_place> find_place(field_reader& reader, size_t record,
                                     mmdb_key_memo& memo) noexcept {
  const auto places = reader.find_places(record, memo);
  std::optional<model::coordinates> at;
  if (const auto nested = places[member::location])
    at = read_pair(reader, reader.find_places(*nested, memo));
  if (!at) at = read_pair(reader, places);
  const auto* const country = read_country(reader, places, memo);
  if (country == nullptr) return at ? std::optional{mmdb_place{*at}} : std::nullopt;
  const auto number = static_cast<uint8_t>(country - model::country_places().data() + 1);
  return mmdb_place{at.value_or(country->at), number, at.has_value()};
}

std::optional<uint32_t> find_asn(field_reader& reader, size_t record,
                                 mmdb_key_memo& memo) noexcept {
  const auto places = reader.find_places(record, memo);
  const auto place = places[member::autonomous_system_number];
  const auto number = place ? reader.read_number(*place) : std::nullopt;
  if (!number || !(*number >= 0 && *number <= UINT32_MAX)) return std::nullopt;
  const auto asn = static_cast<uint32_t>(*number);
  return asn == *number && is_public_asn(asn) ? std::optional{asn} : std::nullopt;
}

/// Describes why `reader` could not read a record.
std::string describe_damage(uint32_t offset, const field_reader& reader, bool had_full_share) {
  if (reader.fields_left() > 0)
    return "the record at byte " + std::to_string(offset) + " of its data section is damaged";
  if (had_full_share)
    return "the record at byte " + std::to_string(offset) + " of its data section has more than " +
           std::to_string(mmdb_field_limit) + " fields";
  return "its records overlap, so reading them takes too long";
}

/// The result of `find` for the record at `offset`. Takes its reads from `fields_left`.
template <class Value>
base::expected<std::optional<Value>>
read_value(std::span<const uint8_t> section, uint64_t& fields_left, mmdb_key_memo& memo,
           uint32_t offset,
           std::optional<Value> (*find)(field_reader&, size_t, mmdb_key_memo&) noexcept) {
  const auto share = std::min<uint64_t>(fields_left, mmdb_field_limit);
  field_reader reader{section, share, pointers::within_section};
  const auto value = find(reader, offset, memo);
  fields_left -= share - reader.fields_left();
  if (reader.sound()) return value;
  return base::fail(base::errc::geoip_invalid,
                    describe_damage(offset, reader, share == mmdb_field_limit));
}

} // namespace

base::expected<std::optional<mmdb_place>> mmdb_record_reader::read_place(uint32_t offset) {
  return read_value(section_, fields_left_, keys_, offset, find_place);
}

base::expected<std::optional<uint32_t>> mmdb_record_reader::read_asn(uint32_t offset) {
  return read_value(section_, fields_left_, keys_, offset, find_asn);
}

bool is_sound_value(std::span<const uint8_t> section) noexcept {
  return field_reader{section, mmdb_field_limit, pointers::to_scalars}.skip(0).has_value();
}

} // namespace matchcloud::store
