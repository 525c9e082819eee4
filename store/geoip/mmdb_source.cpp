#include "store/geoip/mmdb_source.hpp"

#include "model/text/unicode.hpp"

#include <maxminddb.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// The metadata follows its marker in the last part of the file (MaxMind DB specification 2.0,
/// "Database metadata").
constexpr std::size_t metadata_limit_bytes = 128 << 10;
constexpr std::string_view metadata_marker = "\xab\xcd\xefMaxMind.com";

/// The zero bytes between the tree and the data section.
constexpr std::uint32_t separator_bytes = 16;

constexpr std::uint32_t block_bytes = 64;

constexpr unsigned address_bits = 128;
constexpr unsigned v4_depth = 96;

/// How often the nodes of a tree may be read on average: networks may share a part of it.
constexpr std::uint64_t reads_per_node = 2;
/// For small trees: these cost no time.
constexpr std::uint64_t reads_anyway = 131'072;

/// The bytes at the beginning of a file that show how it is packed.
constexpr std::size_t packing_bytes = 4UL * 1024;

/// How many characters of a database's own type name a message shows.
constexpr std::size_t shown_type_limit = 64;

template <class... Arguments>
[[noreturn]] void refuse_damaged(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  refuse_geoip("{}; download it again", fmt::format(why, std::forward<Arguments>(arguments)...));
}

/// The metadata: what follows the last marker near the end of a file. Nothing if there is none.
std::optional<std::span<const std::uint8_t>> find_metadata(std::span<const std::uint8_t> file) {
  const auto end = file.last(std::min(file.size(), metadata_limit_bytes));
  const auto is_byte = [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); };
  const auto marker = std::find_end(end.begin(), end.end(), metadata_marker.begin(),
                                    metadata_marker.end(), is_byte);
  if (marker == end.end()) return std::nullopt;
  return end.subspan(static_cast<std::size_t>(marker - end.begin()) + metadata_marker.size());
}

/// Refuses a file that cannot be passed to libmaxminddb, which follows the nesting of metadata
/// without a limit, and multiplies the size of the tree in 32 bits.
void check_metadata(std::span<const std::uint8_t> file) {
  const auto found = find_metadata(file);
  if (!found)
    refuse_damaged(
        "it is not a MaxMind database, or it was truncated: there is no metadata near its end");
  MMDB_s metadata{};
  metadata.data_section = found->data();
  metadata.data_section_size = static_cast<std::uint32_t>(found->size());
  if (!is_sound_value(metadata)) refuse_damaged("its metadata is damaged");
  MMDB_entry_s whole{&metadata, 0};
  MMDB_entry_data_s count;
  constexpr std::array<const char*, 2> node_count{"node_count", nullptr};
  constexpr std::size_t least_node_bytes = 6;
  if (MMDB_aget_value(&whole, &count, node_count.data()) != MMDB_SUCCESS ||
      count.type != MMDB_DATA_TYPE_UINT32 || count.uint32 > file.size() / least_node_bytes)
    refuse_damaged("its metadata has no number of nodes that fit into the file");
}

/// An open database while its table is made.
class mmdb_source {
public:
  explicit mmdb_source(address_table& into) : into_{&into} {}
  mmdb_source(const mmdb_source&) = delete;
  mmdb_source& operator=(const mmdb_source&) = delete;
  ~mmdb_source() {
    if (open_) MMDB_close(&file_);
  }

  // These throw.

  /// Opens the database, and checks its metadata.
  void open(const sealed_file& file);
  /// Walks the tree, and gives each address the offset of its record plus 1.
  void read_tree();
  /// Reads the records, and replaces their offsets by their numbers.
  void read_records(const wanted_records& wanted);

  mmdb_description describe() const {
    return {file_.metadata.database_type, file_.metadata.build_epoch};
  }

private:
  /// Adds the addresses below a record, which share the first `depth` bits of `at_`.
  void walk(std::uint64_t record, unsigned depth);
  void walk_below(std::uint64_t node, unsigned depth);

  address_table* into_;
  MMDB_s file_{};
  bool open_ = false;
  /// The size of the data section, which lies between the tree and the metadata.
  std::uint32_t section_bytes_ = 0;
  /// By offset in the data section: whether the tree points to it.
  std::vector<bool> is_record_;

  address_table::family family_ = address_table::family::v6;
  /// The first address below the current node.
  model::ip_address at_;
  std::uint64_t reads_left_ = 0;
};

void mmdb_source::open(const sealed_file& file) {
  check_metadata(file.bytes());
  const int status = MMDB_open(file.path().c_str(), MMDB_MODE_MMAP, &file_);
  if (status != MMDB_SUCCESS) refuse_damaged("{}", MMDB_strerror(status));
  open_ = true;
  const auto& metadata = file_.metadata;
  if (metadata.ip_version != 4 && metadata.ip_version != 6)
    refuse_damaged("its IP version is {}, not 4 or 6", metadata.ip_version);
  // The library's own section extends to the end of the file, beyond the metadata.
  const auto section_end = file_.metadata_section - metadata_marker.size() - file_.file_content;
  const auto section_begin =
      std::int64_t{metadata.node_count} * file_.full_record_byte_size + separator_bytes;
  if (section_end <= section_begin) refuse_damaged("it has no records");
  section_bytes_ = static_cast<std::uint32_t>(section_end - section_begin);
}

void mmdb_source::read_tree() {
  const std::uint64_t node_count = file_.metadata.node_count;
  is_record_.resize(section_bytes_);
  reads_left_ = reads_per_node * node_count + reads_anyway;
  if (file_.metadata.ip_version == 6) {
    into_->reserve_v6(node_count + 1);
    walk(0, 0);
  }
  // In a database of IPv6, IPv4 begins behind 96 zero bits, of which the walk checked each.
  family_ = address_table::family::v4;
  constexpr std::array<std::uint8_t, 4> first_v4{};
  at_ = model::ip_address::from_v4(first_v4);
  walk(file_.ipv4_start_node.node_value, v4_depth);
}

void mmdb_source::walk(std::uint64_t record, unsigned depth) {
  const std::uint64_t node_count = file_.metadata.node_count;
  // Real databases of IPv6 lead to IPv4 from several networks, such as 2002::/16.
  const bool is_v4 = family_ == address_table::family::v6 && depth > 0 &&
                     record == file_.ipv4_start_node.node_value;
  if (record > node_count) {
    const auto offset = static_cast<std::uint32_t>(record - node_count - separator_bytes);
    is_record_[offset] = true;
    into_->add(family_, at_, offset + 1);
  } else if (record == node_count || is_v4 || depth == address_bits) { // or a cycle
    into_->add(family_, at_, 0);
  } else {
    walk_below(record, depth);
  }
}

void mmdb_source::walk_below(std::uint64_t node, unsigned depth) {
  if (reads_left_-- == 0)
    refuse_damaged(
        "its networks share parts of its search tree in a way that no real database does");
  const std::uint64_t node_count = file_.metadata.node_count;
  MMDB_search_node_s read;
  MMDB_read_node(&file_, static_cast<std::uint32_t>(node), &read);
  auto& byte = at_.bytes[depth / 8];
  const auto bit = static_cast<std::uint8_t>(0x80U >> depth % 8);
  for (const auto record : {read.left_record, read.right_record}) {
    // Within the separator, the difference is beyond the section, too.
    const bool is_behind_tree = record > node_count;
    if (record == 0 || (is_behind_tree && record - node_count - separator_bytes >= section_bytes_))
      refuse_damaged("node {} of its search tree points nowhere", node);
    walk(record, depth + 1);
    byte |= bit;
  }
  byte = static_cast<std::uint8_t>(byte & ~bit);
}

void mmdb_source::read_records(const wanted_records& wanted) {
  auto section = file_;
  section.data_section_size = section_bytes_;
  mmdb_record_reader reader{section};
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> numbers;
  // How many records begin before each block of the section, so that a few steps find a record.
  std::vector<std::size_t> before_block;
  for (std::uint32_t offset = 0; offset < section_bytes_; ++offset) {
    if (offset % block_bytes == 0) before_block.push_back(offsets.size());
    if (!is_record_[offset]) continue;
    offsets.push_back(offset);
    numbers.push_back(wanted.number_of(reader, offset));
  }
  if (std::ranges::all_of(numbers, [](auto number) { return number == 0; }))
    refuse_geoip("it is a database of the type {}, none of whose records has {}",
                 model::quoted_excerpt(file_.metadata.database_type, shown_type_limit),
                 wanted.what);
  into_->replace([&](std::uint32_t number) {
    auto record = before_block[(number - 1) / block_bytes];
    while (offsets[record] != number - 1)
      ++record;
    return numbers[record];
  });
  into_->finish();
}

} // namespace

mmdb_contents read_mmdb(const sealed_file& file, const wanted_records& wanted) {
  mmdb_contents read;
  mmdb_source from{read.table};
  try {
    from.open(file);
    from.read_tree();
    from.read_records(wanted);
  } catch (const base::failure&) {
    // Only now: a database may begin with any bytes.
    const auto packing =
        describe_packing(file.bytes().first(std::min(file.bytes().size(), packing_bytes)));
    if (packing.empty()) throw;
    refuse_geoip("it is {}", packing);
  }
  read.description = from.describe();
  return read;
}

bool has_mmdb_metadata(const sealed_file& file) {
  return find_metadata(file.bytes()).has_value();
}

namespace {

using namespace std::string_view_literals;

struct packing {
  std::string_view beginning;
  std::string_view name;
  std::string_view command;
};

constexpr std::array<packing, 5> packings{{{"\x1f\x8b"sv, "gzip", "gzip -d"},
                                           {"PK\x03\x04"sv, "zip", "unzip"},
                                           {"BZh"sv, "bzip2", "bzip2 -d"},
                                           {"\xfd\x37zXZ\0"sv, "xz", "xz -d"},
                                           {"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -d"}}};

/// The magic of a tar archive's first header (POSIX, "pax: ustar Interchange Format").
constexpr std::string_view tar_magic = "ustar";
constexpr std::size_t tar_magic_offset = 257;
constexpr std::size_t tar_header_bytes = 512;

bool is_tar(std::string_view beginning) noexcept {
  return beginning.size() >= tar_header_bytes &&
         beginning.substr(tar_magic_offset, tar_magic.size()) == tar_magic;
}

/// The first bytes of a gzip file's content; fewer if they are not all present.
std::string inflate_beginning(std::string_view gzip) {
  std::string out(tar_header_bytes, '\0');
  z_stream stream{};
  // 16: gzip's header is expected.
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

} // namespace

std::string describe_packing(std::span<const std::uint8_t> beginning) {
  const std::string_view bytes{reinterpret_cast<const char*>(beginning.data()), beginning.size()};
  if (is_tar(bytes)) return "a tar archive. Unpack it (tar -xf) and use the database in it";
  const auto found = std::ranges::find_if(
      packings, [&](const packing& each) { return bytes.starts_with(each.beginning); });
  if (found == packings.end()) return {};
  if (found == packings.begin() && is_tar(inflate_beginning(bytes)))
    return "a tar archive packed with gzip. Unpack it (tar -xzf) and use the database in it";
  return "packed with " + std::string{found->name} + ". Unpack it (" + std::string{found->command} +
         ") and use the database in it";
}

} // namespace matchcloud::store
