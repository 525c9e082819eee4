#include "store/sql/schema_versions.hpp"

#include "base/failure.hpp"

namespace matchcloud::store {

void schema_versions::check(std::int64_t version, std::int64_t least_program,
                            const std::string& place) const {
  const auto found = place + ": schema version " + std::to_string(version);
  if (version != 0 && version < baseline)
    throw base::failure(
        base::errc::store_failed,
        found + " belongs to a program that was never released; this one needs version " +
            std::to_string(baseline) +
            " or higher. The store was not changed. Use the program that made it, or "
            "start with another data directory or database");
  if (least_program > newest())
    throw base::failure(base::errc::store_newer,
                        found + " is for programs that know version " +
                            std::to_string(least_program) + ", but this program knows only up to " +
                            std::to_string(newest()) +
                            ". The store was not changed. Use a newer program");
}

void schema_versions::check_is_newest(std::int64_t version, const std::string& place) const {
  if (version >= newest()) return;
  throw base::failure(base::errc::store_failed,
                      place + ": schema version " + std::to_string(version) +
                          " is older than this program's " + std::to_string(newest()) +
                          ", and a command that only reads does not migrate it. Start the service "
                          "of this version, which does, or use the program that made the store");
}

void schema_versions::check_is_known(std::int64_t version, const std::string& place) const {
  if (version <= newest()) return;
  throw base::failure(base::errc::store_newer,
                      place + ": schema version " + std::to_string(version) +
                          " has more than this program can copy, which knows only up to " +
                          std::to_string(newest()) + ". Use a newer program");
}

} // namespace matchcloud::store
