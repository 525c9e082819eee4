#include "app/doctor/health_checks.hpp"
#include "base/clock.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <string>

namespace matchcloud::app {

namespace {

/// Vendors publish new files each month or more often.
constexpr std::int64_t age_limit_days = 90;

health_finding check_file(const std::string& path) {
  const auto file = store::mmdb_file::open(path);
  if (!file) return refused(file.error().detail);
  constexpr std::int64_t day_s = 86'400;
  const auto built_s = static_cast<std::int64_t>((*file)->describe().build_epoch);
  const auto age_days = (base::machine_clock().unix_ms() / 1'000 - built_s) / day_s;
  const auto text = path + ": built " + std::to_string(age_days) + " days ago";
  if (age_days <= age_limit_days) return fine(text);
  return warned(text + ", and addresses move",
                "put the vendor's newest file in its place; no restart is needed");
}

} // namespace

health_findings check_geoip(examined_service& of) {
  const auto& config = of.config();
  if (config.geoip_files.empty())
    return {warned("no GeoIP file: every player's location is unknown and regions are not ordered "
                   "by distance",
                   "give --geoip FILE")};
  health_findings found;
  for (const auto& path : config.geoip_files)
    found.push_back(check_file(path));
  return found;
}

} // namespace matchcloud::app
