#pragma once

#include "base/expected.hpp"
#include "base/sha256.hpp"
#include "store/files/file_state.hpp"
#include "store/files/new_file.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

class mmdb_file;

/// To be raised whenever the same GeoIP file leads to other tables than before, or their file has
/// another form: files of other versions are not read. (What the list of countries says is part of
/// the header and needs no new version.)
inline constexpr std::uint32_t table_file_version = 1;

/// The digest of tables, as the header of their file has it. Takes 1 ms per MB. Any thread.
base::sha256_digest digest_of(const mmdb_file& tables);

/// Writes tables that were made of a GeoIP file in the state `source`: a header with a seal over
/// itself and the digest of all else, then the arrays as they are in memory. Takes 1 ms per MB and
/// as long as the disk takes. Fails with `store_full` or `store_failed`.
base::expected<void> write_tables(new_file& into, const file_state& source,
                                  const mmdb_file& tables);

/// Tables from a file.
struct tables_read {
  std::shared_ptr<const mmdb_file> tables;
  /// What `digest_of` returns for them unless the file was damaged.
  base::sha256_digest digest{};
};

/// Why tables are not taken from a file.
struct tables_unusable {
  std::string why;
  /// Whether something is wrong, and not only missing or old.
  bool is_failure = false;
};

/// Reads tables of a GeoIP file in the state `source` from the file at `path` into memory of this
/// process (a mapping of the file would end the process when it is truncated). Checks the header,
/// and that look-ups in the tables stay inside them; whether their content was damaged shows only
/// their digest, which takes longer. Blocks for 1 ms per MB, and as long as the disk takes.
tl::expected<tables_read, tables_unusable> read_tables(const std::string& path,
                                                       const file_state& source);

} // namespace matchcloud::store
