#pragma once

#include "base/expected.hpp"
#include "store/export_facts.hpp"
#include "store/object_name.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// An export whose CSV is an object.
struct export_record {
  export_facts facts;
  /// Counts from 1; who writes the export anew uses the next one. It is in the object's name.
  std::int64_t generation = 1;
  /// Whether the object is whole. What follows is known only then.
  bool is_complete = false;
  std::uint64_t size_bytes = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256;

  friend bool operator==(const export_record&, const export_record&) = default;
};

/// The folder that holds all exports.
object_name exports_folder();
/// The name of an export as an object: `exports/EXPORT_ID/GENERATION`.
object_name object_of(const export_record& record);
/// The export and the generation that an object is named after; nothing if it is named otherwise.
/// Nothing else of the record is set.
std::optional<export_record> read_export_name(const object_name& name);

/// The number and the bytes of the complete exports.
struct export_usage {
  std::size_t count = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const export_usage&, const export_usage&) = default;
};

/// The role of knowing which exports there are as objects: an object counts only once its record is
/// complete. It keeps no audit log. See `session` for what the calls of all roles have in common.
class export_records {
public:
  virtual ~export_records() = default;

  /// Notes that an export begins to be written, at `begun_ts` (milliseconds since 1970).
  virtual base::expected<void> begin_export(const model::uuid& export_id,
                                            const model::export_query& query,
                                            std::int64_t begun_ts) = 0;
  /// Completes the record with this id and generation. Returns false if there is none that is
  /// incomplete.
  virtual base::expected<bool> complete_export(const export_record& whole) = 0;
  /// The complete record with this id, or nothing if there is none.
  virtual base::expected<std::optional<export_record>>
  find_export(const model::uuid& export_id) = 0;
  /// Removes a record, if there is one.
  virtual base::expected<void> forget_export(const model::uuid& export_id) = 0;
  /// Up to `limit` records that are complete and expire at or before `now_ts`, or incomplete and
  /// begun before `begun_before_ts`.
  virtual base::expected<std::vector<export_record>>
  exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) = 0;
  /// Calls `take` for each record until it returns false.
  virtual base::expected<void>
  read_exports(const std::function<bool(const export_record&)>& take) = 0;
  virtual base::expected<export_usage> export_usage_now() = 0;
};

} // namespace matchcloud::store
