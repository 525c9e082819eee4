#include "store/mmdb_record.hpp"

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

/// A field and where the things in it lie.
struct field {
  field_type type = field_type::extended;
  /// Bytes of a scalar, entries of a map or an array, the value of a boolean, the target of a
  /// pointer.
  uint32_t size = 0;
  /// First byte behind the control bytes.
  size_t payload = 0;

  bool is_container() const noexcept {
    return type == field_type::map || type == field_type::array;
  }
};

/// Where the values of the keys that matter are.
struct field_places {
  std::optional<size_t> latitude;
  std::optional<size_t> longitude;
  std::optional<size_t> location;

  std::optional<size_t>* of(std::string_view key) noexcept {
    if (key == "latitude") return &latitude;
    if (key == "longitude") return &longitude;
    return key == "location" ? &location : nullptr;
  }
};

/// Reads fields off a data section. Every read checks its bounds; one reader looks at
/// `mmdb_field_limit` fields at most.
class field_reader {
public:
  explicit field_reader(std::span<const uint8_t> section) noexcept : section_(section) {}

  std::optional<field> read(size_t offset) noexcept;
  /// The same, but a pointer is followed. The format knows no pointer to a pointer.
  std::optional<field> read_target(size_t offset) noexcept;
  /// The offset behind the field at `offset` and all within it.
  std::optional<size_t> skip(size_t offset, int depth = 0) noexcept;
  /// Where the values that matter are in `map`; damage in it ends the search.
  field_places find_places(const field& map) noexcept;
  std::optional<double> read_number(size_t offset) noexcept;

private:
  std::optional<uint32_t> big_endian(size_t offset, size_t size) const noexcept;
  std::optional<field> read_pointer(unsigned control, size_t offset) const noexcept;
  std::optional<size_t> behind(const field& scalar) const noexcept;
  std::string_view text(const field& scalar) const noexcept;

  std::span<const uint8_t> section_;
  int fields_left_ = mmdb_field_limit;
};

std::optional<uint32_t> field_reader::big_endian(size_t offset, size_t size) const noexcept {
  if (offset > section_.size() || section_.size() - offset < size) return std::nullopt;
  uint32_t value = 0;
  for (const auto byte : section_.subspan(offset, size))
    value = value << 8 | byte;
  return value;
}

std::optional<field> field_reader::read_pointer(unsigned control, size_t offset) const noexcept {
  constexpr std::array<uint32_t, 4> bases{0, 2048, 526336, 0};
  const size_t form = control >> 3 & 3;
  const auto low = big_endian(offset, form + 1);
  if (!low) return std::nullopt;
  // The longest form does not use the three bits of the control byte.
  const uint32_t high = form == 3 ? 0 : (control & 7) << (8 * (form + 1));
  return field{field_type::pointer, (high | *low) + bases[form], offset + form + 1};
}

std::optional<field> field_reader::read(size_t offset) noexcept {
  if (fields_left_-- <= 0 || offset >= section_.size()) return std::nullopt;
  const unsigned control = section_[offset++];
  unsigned type = control >> 5;
  if (type == static_cast<unsigned>(field_type::pointer)) return read_pointer(control, offset);
  if (type == static_cast<unsigned>(field_type::extended)) {
    if (offset >= section_.size()) return std::nullopt;
    type = section_[offset++] + 7U;
    if (type < 8 || type > 15 || type == 12 || type == 13) return std::nullopt;
  }
  uint32_t size = control & 31;
  if (size >= 29) {
    constexpr std::array<uint32_t, 3> bases{29, 285, 65821};
    const size_t form = size - 29;
    const auto more = big_endian(offset, form + 1);
    if (!more) return std::nullopt;
    size = *more + bases[form];
    offset += form + 1;
  }
  return field{static_cast<field_type>(type), size, offset};
}

std::optional<field> field_reader::read_target(size_t offset) noexcept {
  const auto found = read(offset);
  if (!found || found->type != field_type::pointer) return found;
  const auto target = read(found->size);
  if (!target || target->type == field_type::pointer) return std::nullopt;
  return target;
}

std::optional<size_t> field_reader::behind(const field& scalar) const noexcept {
  if (scalar.type == field_type::pointer || scalar.type == field_type::boolean)
    return scalar.payload;
  if (section_.size() - scalar.payload < scalar.size) return std::nullopt;
  return scalar.payload + scalar.size;
}

std::optional<size_t> field_reader::skip(size_t offset, int depth) noexcept {
  if (depth > mmdb_depth_limit) return std::nullopt;
  const auto outer = read(offset);
  if (!outer) return std::nullopt;
  if (!outer->is_container()) return behind(*outer);
  const uint64_t count = outer->type == field_type::map ? uint64_t{outer->size} * 2 : outer->size;
  std::optional<size_t> next = outer->payload;
  for (uint64_t i = 0; next && i < count; ++i)
    next = skip(*next, depth + 1);
  return next;
}

std::string_view field_reader::text(const field& scalar) const noexcept {
  if (scalar.type != field_type::utf8_string || !behind(scalar)) return {};
  const auto bytes = section_.subspan(scalar.payload, scalar.size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

field_places field_reader::find_places(const field& map) noexcept {
  field_places places;
  if (map.type != field_type::map) return places;
  size_t next = map.payload;
  for (uint32_t i = 0; i < map.size; ++i) {
    const auto key = read_target(next);
    const auto value = key ? skip(next) : std::nullopt;
    if (!value) return places;
    if (auto* place = places.of(text(*key)); place != nullptr && !*place) *place = *value;
    const auto behind_value = skip(*value);
    if (!behind_value) return places;
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
  const auto& [type, size, payload] = *found;
  if (type == field_type::utf8_string) return parse_number(text(*found));
  if (type == field_type::double_float && size == 8) {
    const auto high = big_endian(payload, 4);
    const auto low = big_endian(payload + 4, 4);
    if (!high || !low) return std::nullopt;
    return std::bit_cast<double>(uint64_t{*high} << 32 | *low);
  }
  const auto bits = size <= 4 ? big_endian(payload, size) : std::nullopt;
  if (!bits) return std::nullopt;
  if (type == field_type::single_float && size == 4) return double{std::bit_cast<float>(*bits)};
  // A shorter int32 has no sign: leading zero bytes are left out of it.
  if (type == field_type::int32) return static_cast<std::int32_t>(*bits);
  if (type == field_type::uint16 || type == field_type::uint32) return *bits;
  return std::nullopt;
}

std::optional<model::coordinates> read_pair(field_reader& reader,
                                            const field_places& places) noexcept {
  if (!places.latitude || !places.longitude) return std::nullopt;
  const auto latitude = reader.read_number(*places.latitude);
  const auto longitude = reader.read_number(*places.longitude);
  if (!latitude || !longitude) return std::nullopt;
  // Written so that a value that is not a number fails too.
  const bool on_earth =
      *latitude >= -90 && *latitude <= 90 && *longitude >= -180 && *longitude <= 180;
  if (!on_earth) return std::nullopt;
  return model::coordinates{*latitude, *longitude};
}

} // namespace

std::optional<model::coordinates> read_coordinates(std::span<const uint8_t> section,
                                                   uint32_t offset) noexcept {
  field_reader reader{section};
  const auto record = reader.read_target(offset);
  if (!record) return std::nullopt;
  const auto places = reader.find_places(*record);
  const auto nested = places.location ? reader.read_target(*places.location) : std::nullopt;
  if (nested)
    if (const auto found = read_pair(reader, reader.find_places(*nested))) return found;
  return read_pair(reader, places);
}

bool is_sound_value(std::span<const uint8_t> section) noexcept {
  return field_reader{section}.skip(0).has_value();
}

} // namespace matchcloud::store
