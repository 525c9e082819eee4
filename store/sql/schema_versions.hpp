#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::store {

/// A step to the next version of a schema. Migrations are never edited, only added, and they only
/// expand the schema (new tables, new columns with defaults).
struct migration {
  /// The least version that a program must know to use the store after this. Expansions keep it as
  /// it was: programs of the release before continue to use the store.
  std::int64_t least_program = 0;
  const char* sql = nullptr;
};

/// The versions of a schema that a program knows. A new store has version 0.
class schema_versions {
public:
  /// The version of the first schema that was released. Lower ones are of the development.
  static constexpr std::int64_t baseline = 10;

  /// `steps` must outlive this: the first makes the baseline, each other one the next version.
  explicit constexpr schema_versions(std::span<const migration> steps) noexcept : steps_{steps} {}

  std::int64_t newest() const noexcept {
    return baseline + static_cast<std::int64_t>(steps_.size()) - 1;
  }
  /// The version that `step_after` makes of `version`, which is 0 or known and not the newest.
  static std::int64_t version_after(std::int64_t version) noexcept {
    return version == 0 ? baseline : version + 1;
  }
  const migration& step_after(std::int64_t version) const noexcept {
    return steps_[static_cast<std::size_t>(version_after(version) - baseline)];
  }

  /// Whether the program may use a store of that version, whose least program is given. Fails with
  /// `store_newer`, or with `store_failed` if the version is one of the development. `place` names
  /// the store in the message.
  base::expected<void> check(std::int64_t version, std::int64_t least_program,
                             const std::string& place) const;
  /// Whether a store of that version can be copied whole, which needs a program that knows all of
  /// it. Fails with `store_newer`.
  base::expected<void> check_is_known(std::int64_t version, const std::string& place) const;

private:
  std::span<const migration> steps_;
};

} // namespace matchcloud::store
