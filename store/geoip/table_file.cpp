#include "store/geoip/table_file.hpp"

#include "base/file_descriptor.hpp"
#include "model/regions/country_coordinates.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

constexpr std::array<char, 8> file_magic{'m', 'c', 'g', 'e', 'o', 'i', 'p', '\n'};
/// Reads differently on a machine with another order of bytes, to which the arrays are foreign.
constexpr std::uint32_t byte_order_mark = 0x0102'0304;
/// Databases name their type in their metadata, of which at most 128 KiB are read.
constexpr std::uint64_t type_limit_bytes = 128 << 10;

/// How many elements each array has, in the order in which they stand in the file.
struct array_counts {
  std::uint64_t places = 0;
  std::uint64_t v4 = 0;
  std::uint64_t v6 = 0;
  std::uint64_t blocks = 0;
  std::uint64_t countries = 0;
  std::uint64_t type_bytes = 0;
};

struct file_header {
  std::array<char, 8> magic = file_magic;
  std::uint32_t byte_order = byte_order_mark;
  std::uint32_t version = table_file_version;
  /// Of the list of countries, which places are indices of.
  base::sha256_digest countries{};
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  array_counts counts;
  std::uint64_t build_epoch = 0;
  std::uint32_t ip_version = 0;
  std::uint32_t node_count = 0;
  /// Of the arrays.
  base::sha256_digest content{};
  /// So that the arrays begin at a multiple of 64.
  std::array<std::uint8_t, 40> unused{};
  /// Of the header up to here.
  base::sha256_digest seal{};
};
static_assert(sizeof(file_header) == 256);
static_assert(std::has_unique_object_representations_v<file_header>);

template <class T>
std::string_view bytes_of(std::span<T> values) noexcept {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::string_view bytes_of(const file_header& header) noexcept {
  return bytes_of(std::span{&header, 1});
}

std::span<const std::uint32_t> view(const address_table::words& words) noexcept {
  return {words.data(), words.size()};
}

base::sha256_digest seal_of(const file_header& header) noexcept {
  return base::sha256(bytes_of(header).substr(0, offsetof(file_header, seal)));
}

base::sha256_digest digest_of_countries() {
  base::sha256_stream digest;
  for (const auto& [code, at] : model::country_places()) {
    digest.add(code);
    digest.add(bytes_of(std::span{&at, 1}));
  }
  return digest.digest();
}

/// The arrays of tables, in the order in which they stand in the file.
std::array<std::string_view, 6> arrays_of(const mmdb_file& tables) noexcept {
  const auto& [v4, v6, blocks] = tables.addresses().as_parts();
  return {bytes_of(tables.places().coordinates()),
          bytes_of(view(v4)),
          bytes_of(view(v6)),
          bytes_of(view(blocks)),
          bytes_of(tables.places().countries()),
          tables.describe().database_type};
}

file_header header_of(const file_state& source, const mmdb_file& tables) {
  const auto& [v4, v6, blocks] = tables.addresses().as_parts();
  const auto& about = tables.describe();
  file_header made;
  made.countries = digest_of_countries();
  made.device = source.device;
  made.inode = source.inode;
  made.size_bytes = source.size_bytes;
  made.modified_ns = source.modified_ns;
  made.changed_ns = source.changed_ns;
  made.counts = {tables.places().size(),
                 v4.size(),
                 v6.size(),
                 blocks.size(),
                 tables.places().countries().size(),
                 about.database_type.size()};
  made.build_epoch = about.build_epoch;
  made.ip_version = about.ip_version;
  made.node_count = about.node_count;
  made.content = digest_of(tables);
  made.seal = seal_of(made);
  return made;
}

file_state source_in(const file_header& header) noexcept {
  return {header.device, header.inode, header.size_bytes, header.modified_ns, header.changed_ns, 0};
}

/// The size of a file with these arrays; nothing if some are larger than they can be.
std::optional<std::uint64_t> size_of(const array_counts& counts) noexcept {
  const auto are_roots = [](std::uint64_t count) {
    return count == 0 || count == address_table::root_count;
  };
  if (counts.places >= address_table::number_limit || counts.blocks > address_table::number_limit ||
      !are_roots(counts.v4) || !are_roots(counts.v6) || counts.type_bytes > type_limit_bytes ||
      (counts.countries != 0 && counts.countries != counts.places))
    return std::nullopt;
  return sizeof(file_header) + counts.places * sizeof(model::coordinates) +
         (counts.v4 + counts.v6 + counts.blocks) * sizeof(std::uint32_t) + counts.countries +
         counts.type_bytes;
}

tl::unexpected<tables_unusable> old(std::string why) {
  return tl::unexpected{tables_unusable{std::move(why), false}};
}

tl::unexpected<tables_unusable> bad(std::string why) {
  return tl::unexpected{tables_unusable{std::move(why), true}};
}

tl::unexpected<tables_unusable> system_failure(const std::string& call, int code) {
  return bad(call + ": " + std::generic_category().message(code));
}

/// Reads a file from its beginning.
class table_reader {
public:
  explicit table_reader(const std::string& path) noexcept
      // Non-blocking: opening a named pipe must not wait for its writer.
      : file_{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)},
        failure_{file_ ? 0 : errno} {}

  /// The `errno` of what failed, 0 if nothing did. (Where a file ends too early, nothing failed.)
  int failure() const noexcept { return failure_; }

  /// Its size; -1 if it is no regular file.
  std::int64_t size_bytes() noexcept {
    struct stat found {};
    if (::fstat(file_.get(), &found) != 0) failure_ = errno;
    return S_ISREG(found.st_mode) ? found.st_size : -1;
  }

  /// Reads all of `into`.
  template <class T>
  bool read(std::span<T> into) noexcept {
    auto left = std::as_writable_bytes(into);
    while (!left.empty()) {
      const auto got = ::read(file_.get(), left.data(), left.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) failure_ = errno;
      if (got <= 0) return false;
      left = left.subspan(static_cast<std::size_t>(got));
    }
    return true;
  }

private:
  base::file_descriptor file_;
  int failure_;
};

/// Reads the header of tables of `source`.
tl::expected<file_header, tables_unusable> read_header(table_reader& from,
                                                       const file_state& source) {
  const auto size = from.size_bytes();
  if (from.failure() == 0 && size < 0) return bad("no regular file");
  file_header header;
  if (!from.read(std::span{&header, 1}))
    return from.failure() != 0 ? system_failure("read", from.failure()) : bad("cut short");
  if (header.magic != file_magic) return bad("no tables");
  if (header.byte_order != byte_order_mark) return old("made by another kind of machine");
  if (header.version != table_file_version) return old("made by another version of the program");
  if (header.seal != seal_of(header)) return bad("the header is damaged");
  if (header.countries != digest_of_countries()) return old("made with another list of countries");
  if (source_in(header) != source) return old("the file was replaced since");
  const auto expected = size_of(header.counts);
  if (!expected) return bad("the header is damaged");
  if (static_cast<std::uint64_t>(size) != *expected) return bad("cut short or too long");
  return header;
}

} // namespace

base::sha256_digest digest_of(const mmdb_file& tables) {
  base::sha256_stream digest;
  for (const auto& array : arrays_of(tables))
    digest.add(array);
  return digest.digest();
}

base::expected<void> write_tables(new_file& into, const file_state& source,
                                  const mmdb_file& tables) {
  const auto header = header_of(source, tables);
  if (auto written = into.append(bytes_of(header)); !written) return written;
  for (auto array : arrays_of(tables))
    while (!array.empty()) { // in parts, whose way to the disk begins at once
      const auto part = array.substr(0, writeback_bytes);
      if (auto written = into.append(part); !written) return written;
      array.remove_prefix(part.size());
    }
  return into.sync();
}

tl::expected<tables_read, tables_unusable> read_tables(const std::string& path,
                                                       const file_state& source) {
  table_reader from{path};
  if (from.failure() == ENOENT) return old("there are none");
  if (from.failure() != 0) return system_failure("open", from.failure());
  const auto header = read_header(from, source);
  if (!header) return tl::unexpected{header.error()};
  const auto& counts = header->counts;

  std::vector<model::coordinates> places(counts.places);
  address_table::parts parts{address_table::words{counts.v4}, address_table::words{counts.v6},
                             address_table::words{counts.blocks}};
  std::vector<std::uint8_t> countries(counts.countries);
  std::string type(counts.type_bytes, '\0');
  const bool whole = from.read(std::span{places}) && from.read(parts.v4.extend(counts.v4)) &&
                     from.read(parts.v6.extend(counts.v6)) &&
                     from.read(parts.blocks.extend(counts.blocks)) &&
                     from.read(std::span{countries}) && from.read(std::span{type});
  if (!whole)
    return from.failure() != 0 ? system_failure("read", from.failure()) : bad("cut short");

  auto known = place_table::of(std::move(places), std::move(countries));
  auto table = address_table::of(std::move(parts), static_cast<std::uint32_t>(counts.places));
  if (!known || !table) return bad("damaged");
  mmdb_description about{std::move(type), header->build_epoch, header->ip_version,
                         header->node_count};
  return tables_read{mmdb_file::of(std::move(about), *std::move(known), *std::move(table)),
                     header->content};
}

} // namespace matchcloud::store
