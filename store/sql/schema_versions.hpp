#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::store {

/// A step to the next version of a schema. Migrations are never edited, only added, and they only
/// expand the schema (new tables, new columns with defaults).
struct migration {
  /// The lowest version that a program must know to use the store after this. Expansions do not
  /// change it, so programs of the previous release can continue to use the store.
  std::int64_t least_program = 0;
  const char* sql = nullptr;
};

/// The versions of a schema that a program knows. A new store has version 0.
class schema_versions {
public:
  /// The version of the first released schema. Lower ones were only used in development.
  static constexpr std::int64_t baseline = 10;

  /// `steps` must outlive this. The first makes the baseline, each further one the next version.
  explicit constexpr schema_versions(std::span<const migration> steps) noexcept : steps_{steps} {}

  std::int64_t newest() const noexcept {
    return baseline + static_cast<std::int64_t>(steps_.size()) - 1;
  }
  /// The version that `step_after` makes from `version`, which is 0 or known and not the newest.
  static std::int64_t version_after(std::int64_t version) noexcept {
    return version == 0 ? baseline : version + 1;
  }
  const migration& step_after(std::int64_t version) const noexcept {
    return steps_[static_cast<std::size_t>(version_after(version) - baseline)];
  }

  /// Those up to `version`, which is known.
  schema_versions up_to(std::int64_t version) const noexcept {
    return schema_versions{steps_.first(static_cast<std::size_t>(version - baseline + 1))};
  }

  // These throw `base::failure`. `place` names the store in the message.

  /// Checks that the program may use a store of that version and least program: `store_newer`, or
  /// `store_failed` if the version is from development.
  void check(std::int64_t version, std::int64_t least_program, const std::string& place) const;
  /// Checks that the store has the newest version: `store_failed`.
  void check_is_newest(std::int64_t version, const std::string& place) const;
  /// Checks that a store of that version can be copied whole, which needs a program that knows all
  /// of it: `store_newer`.
  void check_is_known(std::int64_t version, const std::string& place) const;

private:
  std::span<const migration> steps_;
};

} // namespace matchcloud::store
