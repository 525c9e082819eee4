#include "store/sql/schema_versions.hpp"

#include "base/failure.hpp"

namespace matchcloud::store {

void schema_versions::check(std::int64_t version, std::int64_t least_program,
                            const std::string& place) const {
  const auto found = place + ": schema version " + std::to_string(version);
  if (version != 0 && version < baseline)
    throw base::failure(base::errc::store_failed,
                        "{} belongs to a program that was never released; this one needs version "
                        "{} or higher. The store was not changed. Use the program that made it, or "
                        "start with another data directory or database",
                        found, baseline);
  if (least_program > newest())
    throw base::failure(base::errc::store_newer,
                        "{} is for programs that know version {}, but this program knows only up "
                        "to {}. The store was not changed. Use a newer program",
                        found, least_program, newest());
}

void schema_versions::check_is_newest(std::int64_t version, const std::string& place) const {
  if (version >= newest()) return;
  throw base::failure(base::errc::store_failed,
                      "{}: schema version {} is older than this program's {}, and a command that "
                      "only reads does not migrate it. Start the service of this version, which "
                      "does, or use the program that made the store",
                      place, version, newest());
}

void schema_versions::check_is_known(std::int64_t version, const std::string& place) const {
  if (version <= newest()) return;
  throw base::failure(base::errc::store_newer,
                      "{}: schema version {} has more than this program can copy, which knows only "
                      "up to {}. Use a newer program",
                      place, version, newest());
}

} // namespace matchcloud::store
