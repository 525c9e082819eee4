#include "store/geoip/mmdb_file.hpp"

#include "model/net/socket_address.hpp"
#include "model/text/unicode.hpp"
#include "store/files/memory_file.hpp"

#include <algorithm>
#include <cstddef>
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

base::expected<std::shared_ptr<const mmdb_file>>
mmdb_file::open(const std::string& path, std::optional<std::uint64_t> corrupted_by) {
  const auto refuse = [&path](const std::string& reason) {
    return base::fail(base::errc::geoip_invalid, path + ": " + reason);
  };
  const auto copy = memory_file::copy_of(path, file_limit_bytes, corrupted_by);
  if (!copy) return refuse(copy.error().detail);
  auto file = std::make_shared<mmdb_file>();
  const auto reason = file->open_copy(*copy);
  if (!reason.empty()) return refuse(reason);
  return file;
}

mmdb_file::~mmdb_file() {
  if (open_) MMDB_close(&file_);
}

std::string mmdb_file::open_copy(const memory_file& copy) {
  if (const auto fault = find_metadata_damage(copy); !fault.empty()) return damaged(fault);
  const int status = MMDB_open(copy.path().c_str(), MMDB_MODE_MMAP, &file_);
  if (status != MMDB_SUCCESS) return damaged(MMDB_strerror(status));
  open_ = true;
  if (!copy.copy_over({file_.file_content, static_cast<std::size_t>(file_.file_size)}))
    return "there is no memory for it";
  const auto reason = check_metadata();
  return reason.empty() ? read_places() : damaged(reason);
}

std::string mmdb_file::check_metadata() const {
  const auto& metadata = file_.metadata;
  if (metadata.ip_version != 4 && metadata.ip_version != 6)
    return "its IP version is " + std::to_string(metadata.ip_version) + ", not 4 or 6";
  if (metadata.node_count == 0) return "its search tree is empty";
  if (records().empty()) return "it holds no records";
  return {};
}

std::span<const std::uint8_t> mmdb_file::records() const noexcept {
  // libmaxminddb's own section extends to the end of the file, beyond the metadata.
  const auto* const end = file_.metadata_section - metadata_marker.size();
  if (file_.data_section == nullptr || end <= file_.data_section) return {};
  return {file_.data_section, end};
}

std::string mmdb_file::read_places() {
  const auto section = records();
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
  auto table = place_table::read(section, std::move(offsets));
  if (!table) return damaged(table.error().detail);
  if (table->size() == 0)
    return "it is a database of the type " +
           model::quoted_excerpt(file_.metadata.database_type, shown_type_limit) +
           ", none of whose records has coordinates or a country that is known; give one of cities "
           "or of countries";
  places_ = *std::move(table);
  return {};
}

std::optional<mmdb_place> mmdb_file::find(const model::ip_address& address) const noexcept {
  const auto wanted = model::socket_address_of(address, 0);
  int status = MMDB_SUCCESS;
  const auto found = MMDB_lookup_sockaddr(&file_, wanted.plain(), &status);
  // Looking up an IPv6 address in an IPv4 database fails here too.
  if (status != MMDB_SUCCESS || !found.found_entry) return std::nullopt;
  return places_.find(found.entry.offset);
}

mmdb_description mmdb_file::describe() const {
  const auto& metadata = file_.metadata;
  return {metadata.database_type, metadata.build_epoch, metadata.ip_version, metadata.node_count};
}

} // namespace matchcloud::store
