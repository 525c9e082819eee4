#include "store/sql/schema_versions.hpp"

namespace matchcloud::store {

base::expected<void> schema_versions::check(std::int64_t version, std::int64_t least_program,
                                            const std::string& place) const {
  const auto found = place + ": schema version " + std::to_string(version);
  if (version != 0 && version < baseline)
    return base::fail(base::errc::store_failed,
                      found + " is of a program that was never released; this one needs version " +
                          std::to_string(baseline) +
                          " or higher. The store is left as it was. Use the program that made it, "
                          "or begin with another data directory or database");
  if (least_program > newest())
    return base::fail(base::errc::store_newer,
                      found + " is for programs that know version " +
                          std::to_string(least_program) + ", and this program knows up to " +
                          std::to_string(newest()) +
                          ". The store is left as it was. Use a newer program");
  return {};
}

base::expected<void> schema_versions::check_is_known(std::int64_t version,
                                                     const std::string& place) const {
  if (version <= newest()) return {};
  return base::fail(base::errc::store_newer, place + ": schema version " + std::to_string(version) +
                                                 " has more than this program, which knows up to " +
                                                 std::to_string(newest()) +
                                                 ", would copy. Use a newer program");
}

} // namespace matchcloud::store
