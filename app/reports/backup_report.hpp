#pragma once

#include "store/backup/backup_manifest.hpp"
#include "store/backup/restore.hpp"
#include "store/backup/verify.hpp"

#include <cstddef>
#include <string>

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
  bool has_bucket = false;
  store::restored done;
};

/// For people.
std::string text_of(const backup_report& report);
std::string text_of(const restore_report& report);
/// For people; lines of tables have at most `width` characters where possible; 0: any number.
std::string table_of(const store::verification& found, std::size_t width);

// One JSON object in one line each, with complete digests.
std::string json_of(const backup_report& report);
std::string json_of(const restore_report& report);
std::string json_of(const store::verification& found);

} // namespace matchcloud::app
