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

/// The result of comparing a store's references with the existing objects.
struct object_audit {
  struct entry {
    std::string name;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const entry&, const entry&) = default;
  };

  std::uint64_t images = 0;
  std::uint64_t exports = 0;
  /// Objects that are referred to but are missing or have another size, by name; the size is the
  /// expected one, 0 if unknown.
  std::vector<entry> missing;
  /// Objects that nothing refers to, by name.
  std::vector<entry> unreferred;
  /// Objects that nothing refers to but that are too young to be reported.
  std::uint64_t young = 0;
};

/// What to compare.
struct object_audit_settings {
  /// A younger object may belong to an avatar or an export that is about to be written.
  std::chrono::seconds age{std::chrono::hours{24}};
  std::int64_t now_ts = 0;
  /// Returns true once the comparison is no longer wanted. May be empty.
  std::function<bool()> stop;
};

/// Compares both. Takes about 200 bytes of memory for each object and each reference. Fails with
/// `store_failed` or `cancelled`.
base::expected<object_audit> audit_objects(database& in, object_store& objects,
                                           const object_audit_settings& settings);

/// Removes objects that `audit_objects` found unreferred, unless something refers to them by now,
/// and what unfinished uploads of that age left. Returns how many objects and uploads were removed.
base::expected<std::size_t> remove_unreferred(database& in, object_store& objects,
                                              const object_audit& found,
                                              const object_audit_settings& settings);

} // namespace matchcloud::store
