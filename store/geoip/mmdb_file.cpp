#include "store/geoip/mmdb_file.hpp"

#include "model/text/unicode.hpp"
#include "store/files/memory_file.hpp"

#include <maxminddb.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// Offsets in the format have 32 bits.
constexpr std::uint64_t file_limit_bytes = std::uint64_t{4} << 30;

/// The metadata follow their marker in the last part of the file (MaxMind DB specification 2.0,
/// "Database metadata").
constexpr std::size_t metadata_limit_bytes = 128 << 10;
constexpr std::string_view metadata_marker = "\xab\xcd\xefMaxMind.com";

/// How many characters of a database's own type name a message shows.
constexpr std::size_t shown_type_limit = 64;

/// Appends to a reason what to do about a damaged file.
std::string damaged(std::string reason) {
  return std::move(reason).append("; fetch it again");
}

/// Returns why the metadata cannot be passed to libmaxminddb, which follows their nesting without a
/// limit; empty if they can.
std::string find_metadata_damage(const memory_file& copy) {
  const auto tail = copy.tail(metadata_limit_bytes);
  const auto is_byte = [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); };
  const auto marker = std::find_end(tail.begin(), tail.end(), metadata_marker.begin(),
                                    metadata_marker.end(), is_byte);
  if (marker == tail.end())
    return "it is no MaxMind database, or was cut short: no metadata stand near its end";
  const auto begin = static_cast<std::size_t>(marker - tail.begin()) + metadata_marker.size();
  return is_sound_value(std::span{tail}.subspan(begin)) ? "" : "its metadata are damaged";
}

} // namespace

base::expected<std::shared_ptr<const mmdb_file>> mmdb_file::open(const std::string& path) {
  return open(path, std::nullopt);
}

base::expected<std::shared_ptr<const mmdb_file>> mmdb_file::open_corrupted(const std::string& path,
                                                                           std::uint64_t random) {
  return open(path, random);
}

/// A copy of a file, open only while it is read.
class mmdb_file::source {
public:
  source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  ~source() {
    if (open_) MMDB_close(&file_);
  }

  // Each returns the reason of a failure; empty on success.

  /// Maps and checks the copy.
  std::string open(const memory_file& copy);
  /// Walks the whole tree and reads the records that it points to.
  std::string read_places();
  /// Notes the place of each address.
  std::string expand(address_table& into) const;

  mmdb_description describe() const;
  place_table take_places() noexcept { return records_.take_places(); }

private:
  using branch = address_table::branch;

  std::string check_metadata() const;
  /// The bytes between the tree and the metadata; empty if there are none.
  std::span<const std::uint8_t> section() const noexcept;
  std::array<branch, 2> branches_of(std::uint32_t node) const noexcept;
  branch branch_to(std::uint8_t type, std::uint64_t record,
                   const MMDB_entry_s& entry) const noexcept;
  /// Where IPv4 addresses begin: in a database of version 6 behind 96 zero bits.
  branch v4_root() const noexcept;

  MMDB_s file_{};
  record_places records_;
  bool open_ = false;
};

base::expected<std::shared_ptr<const mmdb_file>>
mmdb_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const std::string& reason) {
    return base::fail(base::errc::geoip_invalid, path + ": " + reason);
  };
  source from;
  {
    const auto copy = memory_file::copy_of(path, file_limit_bytes, corrupted_by);
    if (!copy) return refuse(copy.error().detail);
    if (const auto reason = from.open(*copy); !reason.empty()) return refuse(reason);
  }
  auto file = std::make_shared<mmdb_file>();
  if (const auto reason = from.read_places(); !reason.empty()) return refuse(reason);
  if (const auto reason = from.expand(file->table_); !reason.empty()) return refuse(reason);
  file->description_ = from.describe();
  file->places_ = from.take_places();
  return file;
}

std::shared_ptr<const mmdb_file> mmdb_file::of(mmdb_description description, place_table places,
                                               address_table addresses) {
  auto file = std::make_shared<mmdb_file>();
  file->description_ = std::move(description);
  file->places_ = std::move(places);
  file->table_ = std::move(addresses);
  return file;
}

std::optional<mmdb_place> mmdb_file::find(const model::ip_address& address) const noexcept {
  const auto number = find_number(address);
  if (number == 0) return std::nullopt;
  return places_[number - 1];
}

std::string mmdb_file::source::open(const memory_file& copy) {
  if (const auto fault = find_metadata_damage(copy); !fault.empty()) return damaged(fault);
  const int status = MMDB_open(copy.path().c_str(), MMDB_MODE_MMAP, &file_);
  if (status != MMDB_SUCCESS) return damaged(MMDB_strerror(status));
  open_ = true;
  const auto reason = check_metadata();
  return reason.empty() ? reason : damaged(reason);
}

std::string mmdb_file::source::check_metadata() const {
  const auto& metadata = file_.metadata;
  if (metadata.ip_version != 4 && metadata.ip_version != 6)
    return "its IP version is " + std::to_string(metadata.ip_version) + ", not 4 or 6";
  if (metadata.node_count == 0) return "its search tree is empty";
  if (section().empty()) return "it holds no records";
  return {};
}

std::span<const std::uint8_t> mmdb_file::source::section() const noexcept {
  // libmaxminddb's own section extends to the end of the file, beyond the metadata.
  const auto* const end = file_.metadata_section - metadata_marker.size();
  if (file_.data_section == nullptr || end <= file_.data_section) return {};
  return {file_.data_section, end};
}

std::string mmdb_file::source::read_places() {
  const auto section = this->section();
  offset_set offsets{section.size()};
  const auto take = [&](std::uint8_t type, const MMDB_entry_s& entry) {
    if (type != MMDB_RECORD_TYPE_DATA)
      return type == MMDB_RECORD_TYPE_SEARCH_NODE || type == MMDB_RECORD_TYPE_EMPTY;
    if (entry.offset >= section.size()) return false;
    offsets.insert(entry.offset);
    return true;
  };
  for (std::uint32_t number = 0; number < file_.metadata.node_count; ++number) {
    MMDB_search_node_s node{};
    const bool read = MMDB_read_node(&file_, number, &node) == MMDB_SUCCESS;
    if (!read || !take(node.left_record_type, node.left_record_entry) ||
        !take(node.right_record_type, node.right_record_entry))
      return damaged("node " + std::to_string(number) + " of its search tree points nowhere");
  }
  auto records = record_places::read(section, std::move(offsets));
  if (!records) return damaged(records.error().detail);
  if (records->places().size() == 0)
    return "it is a database of the type " +
           model::quoted_excerpt(file_.metadata.database_type, shown_type_limit) +
           ", none of whose records has coordinates or a country that is known; give one of cities "
           "or of countries";
  records_ = *std::move(records);
  return {};
}

std::string mmdb_file::source::expand(address_table& into) const {
  const auto& metadata = file_.metadata;
  const branch root{true, 0};
  auto made = address_table::expand(
      [this](std::uint32_t node) { return branches_of(node); }, metadata.node_count,
      metadata.ip_version == 6 ? std::optional{root} : std::nullopt, v4_root());
  if (!made) return damaged("its networks share parts of its search tree as in no real database");
  into = *std::move(made);
  return {};
}

mmdb_file::source::branch mmdb_file::source::branch_to(std::uint8_t type, std::uint64_t record,
                                                       const MMDB_entry_s& entry) const noexcept {
  if (type == MMDB_RECORD_TYPE_SEARCH_NODE) return {true, static_cast<std::uint32_t>(record)};
  const auto number = type == MMDB_RECORD_TYPE_DATA ? records_.find(entry.offset) : std::nullopt;
  return {false, number ? *number + 1 : 0};
}

std::array<mmdb_file::source::branch, 2>
mmdb_file::source::branches_of(std::uint32_t node) const noexcept {
  MMDB_search_node_s read{};
  if (MMDB_read_node(&file_, node, &read) != MMDB_SUCCESS) return {};
  return {branch_to(read.left_record_type, read.left_record, read.left_record_entry),
          branch_to(read.right_record_type, read.right_record, read.right_record_entry)};
}

mmdb_file::source::branch mmdb_file::source::v4_root() const noexcept {
  constexpr int bits_before = 96;
  branch at{true, 0};
  if (file_.metadata.ip_version != 6) return at;
  for (int i = 0; i < bits_before && at.is_node; ++i)
    at = branches_of(at.value)[0];
  return at;
}

mmdb_description mmdb_file::source::describe() const {
  const auto& metadata = file_.metadata;
  return {metadata.database_type, metadata.build_epoch, metadata.ip_version, metadata.node_count};
}

} // namespace matchcloud::store
