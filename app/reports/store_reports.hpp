#pragma once

#include "store/backup/backup_manifest.hpp"
#include "store/backup/restore.hpp"
#include "store/backup/verify.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/objects/object_audit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// What `matchcloud backup` made.
struct backup_report {
  std::string folder;
  store::backup_manifest manifest;
};

/// What `matchcloud restore` did.
struct restore_report {
  std::string folder;
  /// The restored place, without a password.
  std::string into;
  store::restored done;
};

/// A named secret that both stores have after a copy.
struct copied_secret {
  std::string_view name;
  std::size_t versions = 0;
};

/// What both stores have after a copy.
struct copy_report {
  std::vector<store::table_facts> tables;
  /// Empty: they were not requested.
  std::vector<copied_secret> secrets;
};

/// The result of `matchcloud objects check`.
struct object_report {
  store::object_audit found;
  /// The age in hours from which objects were considered.
  std::uint64_t age_h = 0;
  /// How many objects and unfinished uploads were removed; empty without --remove.
  std::optional<std::size_t> removed;
};

// For people; lines of tables have at most `width` characters where possible; 0: any number.
std::string text_of(const backup_report& report);
std::string text_of(const restore_report& report);
std::string table_of(const store::verification& found, std::size_t width);
std::string table_of(const copy_report& report, std::size_t width);
std::string table_of(const object_report& report, std::size_t width);

// One JSON object in one line each, with complete digests.
std::string json_of(const backup_report& report);
std::string json_of(const restore_report& report);
std::string json_of(const store::verification& found);
std::string json_of(const copy_report& report);
std::string json_of(const object_report& report);

} // namespace matchcloud::app
