#include "store/geoip/mmdb_record.hpp"

#include "model/catalog/catalog.hpp"

#include <maxminddb.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

using std::uint32_t;
using std::uint64_t;

/// The members of a record that are read.
enum member : std::size_t {
  latitude,
  longitude,
  location,
  country,
  country_code,
  registered_country,
  iso_code,
  autonomous_system_number,
  member_count,
};

constexpr std::array<std::string_view, member_count> member_names{
    "latitude",     "longitude",          "location", "country",
    "country_code", "registered_country", "iso_code", "autonomous_system_number"};

/// libmaxminddb 1.7 reads beyond the end of a shorter section.
constexpr uint32_t least_section_bytes = 3;

/// The offsets of the values of the members that are read.
using value_offsets = std::array<std::optional<uint32_t>, member_count>;

bool is_container(const MMDB_entry_data_s& field) noexcept {
  return field.type == MMDB_DATA_TYPE_MAP || field.type == MMDB_DATA_TYPE_ARRAY;
}

/// Returns an empty text if the field is not a string.
std::string_view text_of(const MMDB_entry_data_s& field) noexcept {
  if (field.type != MMDB_DATA_TYPE_UTF8_STRING) return {};
  return {field.utf8_string, field.data_size};
}

std::optional<double> number_of(const MMDB_entry_data_s& field) noexcept {
  switch (field.type) {
  case MMDB_DATA_TYPE_DOUBLE: return field.double_value;
  case MMDB_DATA_TYPE_FLOAT: return field.float_value;
  case MMDB_DATA_TYPE_UINT16: return field.uint16;
  case MMDB_DATA_TYPE_UINT32: return field.uint32;
  case MMDB_DATA_TYPE_INT32: return field.int32;
  default: break;
  }
  const auto digits = text_of(field);
  double value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// Reads a value from a data section, of at most `mmdb_field_limit` fields. After the first failure
/// `sound` is false.
class field_reader {
public:
  /// `file_fields_left` is reduced by each field that is read. `sound_targets`: as in
  /// `mmdb_record_reader`; null if pointers may lead only to scalars.
  field_reader(const MMDB_s& file, uint64_t& file_fields_left,
               std::vector<bool>* sound_targets) noexcept
      : file_{&file}, file_fields_left_{&file_fields_left}, sound_targets_{sound_targets} {}

  bool sound() const noexcept { return sound_; }
  /// Whether the value has too many fields.
  bool is_exhausted() const noexcept { return fields_left_ == 0; }

  /// The field at `offset` or, if that is a pointer, the field that it leads to. In a map or array,
  /// `offset_to_next` is its first element. Nothing if it cannot be read.
  std::optional<MMDB_entry_data_s> read(uint32_t offset) noexcept {
    constexpr std::array<const char*, 1> this_field{nullptr};
    MMDB_entry_s at{file_, offset};
    MMDB_entry_data_s field;
    const bool is_read = fields_left_ > 0 && *file_fields_left_ > 0 &&
                         file_->data_section_size >= least_section_bytes &&
                         MMDB_aget_value(&at, &field, this_field.data()) == MMDB_SUCCESS;
    // The library lets types pass that the format does not have or reserves.
    if (!is_read || field.type > MMDB_DATA_TYPE_FLOAT || field.type == MMDB_DATA_TYPE_CONTAINER ||
        field.type == MMDB_DATA_TYPE_END_MARKER)
      return give_up();
    --fields_left_;
    --*file_fields_left_;
    return field;
  }

  /// Checks the field at `offset` with everything nested in it. Returns the offset after it.
  std::optional<uint32_t> skip(uint32_t offset, int depth = 0) {
    const auto field = depth <= mmdb_depth_limit ? read(offset) : give_up();
    if (!field) return give_up();
    if (!is_container(*field)) return field->offset_to_next;
    if (field->offset == offset) return skip_elements(*field, depth);
    if (!check_target(*field, depth)) return give_up();
    // The two bits that tell how many bytes the pointer has after two.
    return offset + 2 + (file_->data_section[offset] >> 3U & 3U);
  }

  /// Finds the values of the members that are read in the map, or pointer to a map, at `offset`;
  /// none if it is something else. Reads the map to its end.
  value_offsets find_values(uint32_t offset) {
    value_offsets found;
    const auto map = read(offset);
    if (!map) return found;
    if (map->type != MMDB_DATA_TYPE_MAP) {
      skip(offset); // no members to find, but the value may be damaged
      return found;
    }
    std::optional<uint32_t> next = map->offset_to_next;
    for (uint32_t i = 0; next && i < map->data_size; ++i) {
      const auto key = read(*next);
      if (!key) return {};
      if (key->type != MMDB_DATA_TYPE_UTF8_STRING) {
        give_up();
        return {};
      }
      const auto name = std::ranges::find(member_names, text_of(*key));
      if (name != member_names.end()) {
        auto& value = found[static_cast<std::size_t>(name - member_names.begin())];
        if (!value) value = key->offset_to_next;
      }
      next = skip(key->offset_to_next);
    }
    return found;
  }

  std::optional<double> read_number(std::optional<uint32_t> offset) noexcept {
    const auto field = offset ? read(*offset) : std::nullopt;
    return field ? number_of(*field) : std::nullopt;
  }

  /// The country whose code is at `offset`; null if there is none or it is unknown.
  const model::country_place* read_country(std::optional<uint32_t> offset) noexcept {
    const auto field = offset ? read(*offset) : std::nullopt;
    return field ? model::find_country(text_of(*field)) : nullptr;
  }

private:
  std::nullopt_t give_up() noexcept {
    sound_ = false;
    return std::nullopt;
  }

  /// Returns the offset after the elements of a map or array.
  std::optional<uint32_t> skip_elements(const MMDB_entry_data_s& of, int depth) {
    const auto count = uint64_t{of.data_size} * (of.type == MMDB_DATA_TYPE_MAP ? 2 : 1);
    std::optional<uint32_t> next = of.offset_to_next;
    for (uint64_t i = 0; next && i < count; ++i)
      next = skip(*next, depth + 1);
    return next;
  }

  /// Whether a map or array that a pointer leads to is sound. Its fields are counted by themselves,
  /// because other values may lead to it too.
  bool check_target(const MMDB_entry_data_s& target, int depth) {
    if (sound_targets_ == nullptr) return false;
    if ((*sound_targets_)[target.offset]) return true;
    const auto before = std::exchange(fields_left_, mmdb_field_limit);
    if (!skip_elements(target, depth)) return false;
    fields_left_ = before;
    (*sound_targets_)[target.offset] = true;
    return true;
  }

  const MMDB_s* file_;
  int fields_left_ = mmdb_field_limit;
  uint64_t* file_fields_left_;
  std::vector<bool>* sound_targets_;
  bool sound_ = true;
};

std::optional<model::coordinates> read_pair(field_reader& reader,
                                            const value_offsets& values) noexcept {
  const auto north = reader.read_number(values[latitude]);
  const auto east = reader.read_number(values[longitude]);
  if (!north || !east) return std::nullopt;
  const model::coordinates at{*north, *east};
  return is_on_earth(at) ? std::optional{at} : std::nullopt;
}

/// The country of the record whose values are at `values`; null if none is known.
const model::country_place* find_country(field_reader& reader, const value_offsets& values) {
  const auto in_map = [&](std::optional<uint32_t> map) {
    return map ? reader.read_country(reader.find_values(*map)[iso_code]) : nullptr;
  };
  const auto* found = in_map(values[country]);
  if (found == nullptr) found = reader.read_country(values[country_code]);
  if (found == nullptr) found = reader.read_country(values[country]);
  if (found == nullptr) found = in_map(values[registered_country]);
  return found;
}

std::optional<mmdb_place> find_place(field_reader& reader, uint32_t record) {
  const auto values = reader.find_values(record);
  std::optional<model::coordinates> at;
  if (values[location]) at = read_pair(reader, reader.find_values(*values[location]));
  if (!at) at = read_pair(reader, values);
  const auto* const in = find_country(reader, values);
  if (in == nullptr) return at ? std::optional{mmdb_place{*at}} : std::nullopt;
  const auto number = static_cast<std::uint8_t>(in - model::country_places().data() + 1);
  return mmdb_place{at.value_or(in->at), number, at.has_value()};
}

std::optional<uint32_t> find_asn(field_reader& reader, uint32_t record) {
  const auto number = reader.read_number(reader.find_values(record)[autonomous_system_number]);
  if (!number || !(*number >= 0 && *number <= UINT32_MAX)) return std::nullopt;
  const auto asn = static_cast<uint32_t>(*number);
  return asn == *number && is_public_asn(asn) ? std::optional{asn} : std::nullopt;
}

} // namespace

mmdb_record_reader::mmdb_record_reader(const MMDB_s& file)
    : file_{&file},
      fields_left_{mmdb_total_field_limit(file.data_section_size)},
      sound_targets_(file.data_section_size) {}

template <class Find>
auto mmdb_record_reader::read(uint32_t offset, Find find) {
  field_reader reader{*file_, fields_left_, &sound_targets_};
  const auto found = find(reader, offset);
  if (reader.sound()) return found;
  if (fields_left_ == 0)
    refuse_geoip("its records overlap, so reading them takes too long; download it again");
  refuse_geoip("the record at byte {} of its data section {}; download it again", offset,
               (reader.is_exhausted()
                    ? "has more than " + std::to_string(mmdb_field_limit) + " fields"
                    : "is damaged"));
}

std::optional<mmdb_place> mmdb_record_reader::read_place(uint32_t offset) {
  return read(offset, find_place);
}

std::optional<uint32_t> mmdb_record_reader::read_asn(uint32_t offset) {
  return read(offset, find_asn);
}

bool is_sound_value(const MMDB_s& file) {
  std::uint64_t fields_left = mmdb_field_limit;
  return field_reader{file, fields_left, nullptr}.skip(0).has_value();
}

} // namespace matchcloud::store
