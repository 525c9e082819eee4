#include "store/geoip/mmdb_source.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/huge_page_array.hpp"
#include "model/text/unicode.hpp"
#include "store/geoip/mmdb_record.hpp"
#include "store/geoip/mmdb_tree.hpp"
#include "store/geoip/packed_file.hpp"

#include <fcntl.h>
#include <maxminddb.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// The metadata follows its marker in the last part of the file (MaxMind DB specification 2.0,
/// "Database metadata").
constexpr std::size_t metadata_limit_bytes = 128 << 10;
constexpr std::string_view metadata_marker = "\xab\xcd\xefMaxMind.com";

/// How many characters of a database's own type name a message shows.
constexpr std::size_t shown_type_limit = 64;

/// Appends to a reason what to do about a damaged file.
std::string damaged(std::string reason) {
  return std::move(reason).append("; download it again");
}

tl::unexpected<base::error> system_failure(const std::string& call) {
  return base::fail(base::errc::io_failed,
                    call + ": " + std::error_code{errno, std::system_category()}.message());
}

/// Makes a file in memory that can no longer change (a sealed memfd), so that a mapping of it
/// cannot raise SIGBUS: it has `size_bytes` bytes, of which the last are `end` and all others 0.
/// The zeros take no memory until they are read. Fails with `io_failed` and a reason.
base::expected<base::file_descriptor> make_sealed_file(std::uint64_t size_bytes,
                                                       std::span<const std::uint8_t> end) {
  base::file_descriptor made{::memfd_create("matchcloud", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!made) return system_failure("memfd_create");
  if (::ftruncate(made.get(), static_cast<off_t>(size_bytes)) != 0)
    return system_failure("ftruncate");
  const auto begin = static_cast<off_t>(size_bytes - end.size());
  // Writes to a memfd are complete unless there is no memory.
  if (::pwrite(made.get(), end.data(), end.size(), begin) != static_cast<ssize_t>(end.size()))
    return system_failure("pwrite");
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(made.get(), F_ADD_SEALS, seals) != 0) return system_failure("fcntl");
  return made;
}

/// Describes that a file is packed and what to do; empty if it does not look packed.
std::string find_packing(const stable_file& file) {
  std::vector<std::uint8_t> beginning(
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), packing_bytes)));
  if (!file.read(0, beginning)) return {};
  const auto packing = describe_packing(beginning);
  return packing.empty() ? packing : "it is " + packing;
}

/// The last part of a file, where metadata would be.
base::expected<std::vector<std::uint8_t>> read_end(const stable_file& file) {
  std::vector<std::uint8_t> end(
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes(), metadata_limit_bytes)));
  if (const auto read = file.read(file.size_bytes() - end.size(), end); !read)
    return tl::unexpected(read.error());
  return end;
}

/// Where the metadata begins: after the last marker. Nothing if there is none.
std::optional<std::size_t> find_metadata(std::span<const std::uint8_t> end) {
  const auto is_byte = [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); };
  const auto marker = std::find_end(end.begin(), end.end(), metadata_marker.begin(),
                                    metadata_marker.end(), is_byte);
  if (marker == end.end()) return std::nullopt;
  return static_cast<std::size_t>(marker - end.begin()) + metadata_marker.size();
}

/// Returns why the metadata at the end of a file cannot be passed to libmaxminddb, which follows
/// its nesting without a limit; empty if it can.
std::string find_metadata_damage(std::span<const std::uint8_t> end) {
  const auto begin = find_metadata(end);
  if (!begin)
    return "it is not a MaxMind database, or it was truncated: there is no metadata near its end";
  return is_sound_value(end.subspan(*begin)) ? "" : "its metadata is damaged";
}

/// A file while its tables are made. Only its metadata, a part of its tree and, while records are
/// read, its data section are in memory: together much less than a copy of it.
class mmdb_source {
public:
  mmdb_source(const stable_file& file, const wanted_records& wanted) noexcept
      : file_{&file}, wanted_{&wanted} {}
  mmdb_source(const mmdb_source&) = delete;
  mmdb_source& operator=(const mmdb_source&) = delete;
  ~mmdb_source() {
    if (open_) MMDB_close(&described_);
  }

  // Each returns the reason of a failure; empty on success.

  /// Reads and checks the metadata.
  std::string open();
  /// Reads the whole tree and the records that it points to.
  std::string read_records();
  /// Builds the table of each address's number.
  std::string expand(address_table& into);

  mmdb_description describe() const;

private:
  using branch = address_table::branch;

  std::string check_metadata() const;
  /// The size of the data section, which lies between the tree and the metadata.
  std::size_t section_bytes() const noexcept;
  std::array<branch, 2> branches_of(std::uint32_t node);
  branch branch_to(const mmdb_tree::child& child) const noexcept;
  /// Where IPv4 addresses begin: in a database of version 6 behind 96 zero bits.
  branch v4_root();

  const stable_file* file_;
  const wanted_records* wanted_;
  /// As long as the file, but only its metadata is present.
  MMDB_s described_{};
  bool open_ = false;
  std::optional<mmdb_tree> tree_;
  record_numbers records_;
};

std::string mmdb_source::open() {
  const auto end = read_end(*file_);
  if (!end) return end.error().detail;
  if (const auto fault = find_metadata_damage(*end); !fault.empty()) return damaged(fault);
  const auto alone = make_sealed_file(file_->size_bytes(), *end);
  if (!alone) return alone.error().detail;
  const auto path = "/proc/self/fd/" + std::to_string(alone->get());
  const int status = MMDB_open(path.c_str(), MMDB_MODE_MMAP, &described_);
  if (status != MMDB_SUCCESS) return damaged(MMDB_strerror(status));
  open_ = true;
  if (const auto reason = check_metadata(); !reason.empty()) return damaged(reason);
  const auto& metadata = described_.metadata;
  tree_.emplace(*file_,
                mmdb_tree::shape{metadata.node_count, metadata.record_size, section_bytes()});
  return {};
}

std::string mmdb_source::check_metadata() const {
  const auto& metadata = described_.metadata;
  if (metadata.ip_version != 4 && metadata.ip_version != 6)
    return "its IP version is " + std::to_string(metadata.ip_version) + ", not 4 or 6";
  if (metadata.node_count == 0) return "its search tree is empty";
  if (section_bytes() == 0) return "it has no records";
  return {};
}

std::size_t mmdb_source::section_bytes() const noexcept {
  // libmaxminddb's own section extends to the end of the file, beyond the metadata.
  const auto* const end = described_.metadata_section - metadata_marker.size();
  if (described_.data_section == nullptr || end <= described_.data_section) return 0;
  return static_cast<std::size_t>(end - described_.data_section);
}

std::string mmdb_source::read_records() {
  using kind = mmdb_tree::child::kind;
  offset_set offsets{section_bytes()};
  for (std::uint32_t number = 0; number < described_.metadata.node_count; ++number)
    for (const auto& [what, value] : tree_->read(number)) {
      if (what == kind::damaged)
        return damaged("node " + std::to_string(number) + " of its search tree points nowhere");
      if (what == kind::record) offsets.insert(value);
    }
  if (tree_->failure()) return tree_->failure()->detail;
  base::huge_page_array<std::uint8_t> section{section_bytes()};
  const auto begin = static_cast<std::uint64_t>(described_.data_section - described_.file_content);
  if (const auto read = file_->read(begin, section.extend(section_bytes())); !read)
    return read.error().detail;
  auto records = wanted_->read({section.data(), section.size()}, std::move(offsets));
  if (!records) return damaged(records.error().detail);
  if (records->empty())
    return "it is a database of the type " +
           model::quoted_excerpt(described_.metadata.database_type, shown_type_limit) +
           ", none of whose records has " + std::string{wanted_->what};
  records_ = *std::move(records);
  return {};
}

std::string mmdb_source::expand(address_table& into) {
  const auto& metadata = described_.metadata;
  const branch root{true, 0};
  auto made = address_table::expand(
      [this](std::uint32_t node) { return branches_of(node); }, metadata.node_count,
      metadata.ip_version == 6 ? std::optional{root} : std::nullopt, v4_root());
  if (tree_->failure()) return tree_->failure()->detail;
  if (!made)
    return damaged(
        "its networks share parts of its search tree in a way that no real database does");
  into = *std::move(made);
  return {};
}

mmdb_source::branch mmdb_source::branch_to(const mmdb_tree::child& child) const noexcept {
  using kind = mmdb_tree::child::kind;
  if (child.what == kind::node) return {true, child.value};
  return {false, child.what == kind::record ? records_.find(child.value) : 0};
}

std::array<mmdb_source::branch, 2> mmdb_source::branches_of(std::uint32_t node) {
  const auto [zero, one] = tree_->read(node);
  return {branch_to(zero), branch_to(one)};
}

mmdb_source::branch mmdb_source::v4_root() {
  constexpr int bits_before = 96;
  branch at{true, 0};
  if (described_.metadata.ip_version != 6) return at;
  for (int i = 0; i < bits_before && at.is_node; ++i)
    at = branches_of(at.value)[0];
  return at;
}

mmdb_description mmdb_source::describe() const {
  return {described_.metadata.database_type, described_.metadata.build_epoch};
}

} // namespace

base::expected<mmdb_contents> read_mmdb(const stable_file& file, const wanted_records& wanted) {
  mmdb_contents read;
  mmdb_source from{file, wanted};
  auto reason = from.open();
  if (reason.empty()) reason = from.read_records();
  if (reason.empty()) reason = from.expand(read.table);
  // If the file changed in the meantime, the failure says nothing about its present content.
  if (const auto same = file.check_unchanged(); !same) return tl::unexpected(same.error());
  // Only now: a database may begin with any bytes.
  if (!reason.empty())
    if (const auto packing = find_packing(file); !packing.empty()) reason = packing;
  if (!reason.empty()) return base::fail(base::errc::geoip_invalid, reason);
  read.description = from.describe();
  return read;
}

bool has_mmdb_metadata(const stable_file& file) {
  const auto end = read_end(file);
  return end && find_metadata(*end).has_value();
}

} // namespace matchcloud::store
