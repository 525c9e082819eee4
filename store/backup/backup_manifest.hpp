#pragma once

#include "base/expected.hpp"
#include "store/copy/copy_watch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// The file that makes a folder a whole backup: it is written last.
inline constexpr const char* manifest_name = "manifest.json";
/// The same while the backup is being made.
inline constexpr const char* unfinished_manifest_name = "manifest.json.unfinished";

/// A file of a backup.
struct backup_file {
  /// Relative to the folder. An object's name, so that it cannot lead outside.
  std::string name;
  std::uint64_t size_bytes = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256;

  friend bool operator==(const backup_file&, const backup_file&) = default;
};

/// The contents of a backup. Times are milliseconds since 1970.
struct backup_manifest {
  /// The version of the program that made it.
  std::string program;
  /// The version of its database's schema.
  std::int64_t schema = 0;
  /// `SQLite` or `PostgreSQL`: the source's engine. The backup's own is SQLite.
  std::string engine;
  /// The source, without a password.
  std::string source;
  /// It has everything committed before `begun_ts`, and nothing committed after `ended_ts`.
  std::int64_t begun_ts = 0;
  std::int64_t ended_ts = 0;
  std::vector<table_facts> tables;
  /// In the order of names, without the manifest itself.
  std::vector<backup_file> files;
  /// Whether the manifest has a digest of itself; version 0.2.0 wrote none.
  bool is_protected = true;

  friend bool operator==(const backup_manifest&, const backup_manifest&) = default;

  const backup_file* find(std::string_view name) const noexcept;
  /// Whether one of the files has secrets that a service uses.
  bool has_secrets() const noexcept;
  std::uint64_t size_bytes() const noexcept;
};

/// The upper bound for a manifest; enough for about three million images.
inline constexpr std::size_t manifest_limit_bytes = 512UL * 1024 * 1024;

/// One JSON object, with its line end. Its last member is the SHA-256 of all bytes before it.
std::string render_manifest(const backup_manifest& manifest);
/// Parses what `render_manifest` made, or what version 0.2.0 did. Fails with `import_invalid`: the
/// detail says what was expected, or that a newer program made it.
base::expected<backup_manifest> parse_manifest(std::string_view text);

} // namespace matchcloud::store
