#pragma once

#include "base/expected.hpp"
#include "store/database.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// What a store refers to, compared with the objects that there are.
struct object_audit {
  struct entry {
    std::string name;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const entry&, const entry&) = default;
  };

  std::uint64_t images = 0;
  std::uint64_t exports = 0;
  /// Referred to, and not there or of another size, by name; the size is the one that is expected,
  /// 0 if it is not known.
  std::vector<entry> missing;
  /// There and not referred to, by name.
  std::vector<entry> unreferred;
  /// Not referred to either, and too young to be judged.
  std::uint64_t young = 0;
};

/// What to compare.
struct object_audit_settings {
  /// Whether exports are objects; else only images are.
  bool has_exports = false;
  /// An object that is younger may belong to an avatar or an export that is about to be written.
  std::chrono::seconds age{std::chrono::hours{24}};
  std::int64_t now_ts = 0;
  /// Becomes true when the comparison is not wanted any more. May be empty.
  std::function<bool()> stop;
};

/// Compares. Takes some 200 bytes of memory for each object and each reference. Fails with
/// `store_failed` or `cancelled`.
base::expected<object_audit> audit_objects(database& in, object_store& objects,
                                           const object_audit_settings& settings);

/// Removes objects that `audit_objects` found to be not referred to, unless they are by now, and
/// what unfinished uploads of that age left. Returns how many objects and uploads were removed.
base::expected<std::size_t> remove_unreferred(database& in, object_store& objects,
                                              const object_audit& found,
                                              const object_audit_settings& settings);

} // namespace matchcloud::store
