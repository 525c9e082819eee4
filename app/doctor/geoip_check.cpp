#include "app/doctor/health_checks.hpp"
#include "base/clock.hpp"
#include "store/geoip/asn_file.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <string>

namespace matchcloud::app {

namespace {

/// Vendors publish new files each month or more often.
constexpr std::int64_t age_limit_days = 90;

health_finding check_age(const std::string& path, const store::mmdb_description& what) {
  constexpr std::int64_t day_s = 86'400;
  const auto built_s = static_cast<std::int64_t>(what.build_epoch);
  const auto age_days = (base::machine_clock().unix_ms() / 1'000 - built_s) / day_s;
  const auto text = path + ": built " + std::to_string(age_days) + " days ago";
  if (age_days <= age_limit_days) return fine(text);
  return warned(text + ", and addresses change their location over time",
                "replace it with the vendor's newest file; no restart is needed");
}

health_finding check_places(const std::string& path) {
  const auto file = store::mmdb_file::open(path);
  return file ? check_age(path, (*file)->describe()) : refused(file.error().detail);
}

health_finding check_asns(const std::string& path) {
  const auto file = store::asn_file::open(path);
  if (!file) return refused(file.error().detail);
  const auto& database = (*file)->database();
  return database ? check_age(path, *database)
                  : fine(path + ": autonomous systems as CSV, whose age is unknown");
}

} // namespace

health_findings check_geoip(examined_service& of) {
  const auto& config = of.config();
  health_findings found;
  if (config.geoip_files.empty())
    found.push_back(
        warned("no GeoIP file: players cannot be located, so all of them get the same order of "
               "regions",
               "pass --geoip FILE"));
  for (const auto& path : config.geoip_files)
    found.push_back(check_places(path));
  if (!config.geoip_asn_file.empty()) found.push_back(check_asns(config.geoip_asn_file));
  return found;
}

} // namespace matchcloud::app
