#include "app/doctor/health_checks.hpp"

#include "app/node/resources.hpp"
#include "app/process/reload_request.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "http/takeover/handover.hpp"
#include "store/geoip/source_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iterator>

namespace matchcloud::app {

namespace {

/// How long a read-only statement may take.
constexpr std::chrono::milliseconds statement_limit{5'000};

/// The service that systemd or replace-service names, which a successor may be unable to find; else
/// the one that listens under the name that successors connect to. It only sees the connection end.
std::optional<http::local_peer> find_running(const serve_config& config) {
  const char* const named = std::getenv("MAINPID"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  const auto pid = base::parse_decimal<pid_t>(named == nullptr ? "" : named);
  if (pid && serves(*pid)) return http::local_peer{*pid, user_of(*pid)};
  for (const auto& each : config.listen) {
    if (each.where.port == 0) continue;
    const auto connected =
        http::connect_local(config.store.data_dir, http::take_over_name(each.where));
    if (!connected || !*connected) continue;
    const auto peer = http::peer_of((*connected)->get());
    if (peer && (peer->user == ::geteuid() || ::geteuid() == 0)) return peer;
  }
  return std::nullopt;
}

} // namespace

examined_service::examined_service(base::expected<serve_config> configuration,
                                   std::vector<std::string> unknown_variables)
    : configuration_{std::move(configuration)}, unknown_variables_{std::move(unknown_variables)} {
  if (!configuration_) return;
  configuration_->store.is_for_service = true;
  served_by_ = choose_loops(*configuration_, serving());
}

const base::expected<store::store_examination>& examined_service::store() {
  if (!store_) {
    auto place = config().store;
    place.statement_timeout = std::min(place.statement_timeout, statement_limit);
    store_ = store::examine_store(place);
  }
  return *store_;
}

const std::optional<http::local_peer>& examined_service::running() {
  if (!running_) running_ = find_running(config());
  return *running_;
}

pid_t examined_service::serving() {
  return configuration_ && running() ? running()->pid : 0;
}

std::string name_of_process(pid_t pid) {
  return pid == 0 ? "a process of another container" : "process " + std::to_string(pid);
}

health_findings check_configuration(examined_service& of) {
  health_findings found;
  for (const auto& name : of.unknown_variables())
    found.push_back(warned(name + " is not a configuration key of matchcloud and has no effect",
                           "remove the variable, or see `matchcloud serve --help`"));
  const auto& config = of.configuration();
  if (!config)
    found.push_back(refused(config.error().detail,
                            "fix it and run this again: most checks need the configuration"));
  else if (found.empty())
    found.push_back(fine("all values are allowed"));
  return found;
}

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

namespace {

constexpr std::array checks{
    named_check{"configuration", "the file, the environment and the flags", check_configuration,
                false},
    named_check{"exposure", "who can reach the listeners", check_listeners},
    named_check{"ports", "whether the listeners' addresses are free", check_ports},
    named_check{"certificates", "whether they are usable, and for how long", check_certificates},
    named_check{"processors", "their number, the CPU quota and the event loops", check_processors,
                false},
    named_check{"threads", "whether enough of them can be started", check_thread_limits},
    named_check{"descriptors", "RLIMIT_NOFILE", check_descriptor_limits},
    named_check{"memory", "what requests may hold, and the available memory", check_memory},
    named_check{"data-dir", "owners, modes, and whether it can be written", check_directory},
    named_check{"disk", "the file system of the data directory and its free space", check_disk},
    named_check{"store", "connection, encoding, schema and privileges", check_store},
    named_check{"protections", "whether any is weaker than at the last start on this host",
                check_last_protections},
    named_check{"secrets", "the keys of signed URLs, and the master key", check_secrets},
    named_check{"bucket", "credentials, region and rights", check_bucket},
    named_check{"clock", "this machine's compared with the database's", check_clock},
    named_check{"geoip", "whether the files are usable, and their age", check_geoip},
};

health_findings run(const named_check& check, examined_service& of) {
  try {
    return check.run(of);
  } catch (const base::failure& found) {
    return {refused(found.why().detail)};
  } catch (const std::exception& failure) {
    return {refused(std::string{"the check failed: "} + failure.what())};
  }
}

} // namespace

std::span<const named_check> health_checks() noexcept {
  return checks;
}

health_findings examine(examined_service& of) {
  health_findings all;
  for (const auto& check : checks) {
    if (check.needs_configuration && !of.configuration()) continue;
    auto found = run(check, of);
    for (auto& each : found)
      each.check = check.name;
    all.insert(all.end(), std::move_iterator{found.begin()}, std::move_iterator{found.end()});
  }
  return all;
}

} // namespace matchcloud::app
