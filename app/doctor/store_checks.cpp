// The store, its secrets and its clock, and the bucket.
#include "app/doctor/health_checks.hpp"
#include "app/node/exposure.hpp"
#include "base/failure.hpp"
#include "store/engines/store_place.hpp"
#include "store/secrets/secret_versions.hpp"

#include <chrono>
#include <string>

namespace matchcloud::app {

namespace {

/// Greater differences between the clocks are reported.
constexpr std::chrono::milliseconds clock_limit{1'000};

/// What the start does with the schema.
std::string schema_text(const store::store_examination& found) {
  const auto version = std::to_string(found.version);
  if (found.version == 0) return "no store yet; the first start creates it";
  if (found.version < found.newest)
    return "schema version " + version + ", which the start migrates to " +
           std::to_string(found.newest);
  if (found.version > found.newest)
    return "schema version " + version + ", newer than this program's, and used without changes";
  return "schema version " + version;
}

/// How long a service waits for a store that is out of reach.
std::string waiting_advice(const serve_config& config, const base::error& why) {
  if (!config.waits_for_store() || !why.may_pass) return {};
  return "serve would keep trying for " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::seconds>(config.start_wait).count()) +
         " s";
}

} // namespace

health_findings check_store(examined_service& of) {
  const auto& config = of.config();
  const auto& found = of.store();
  if (!found) return {refused(found.error().detail, waiting_advice(config, found.error()))};
  health_findings all;
  for (const auto& each : found->lacks)
    all.push_back(refused(config.store.name() + ": " + each));
  const auto wanted = static_cast<std::int64_t>(config.store_sessions.at_once);
  if (found->connections_limit && *found->connections_limit < wanted)
    all.push_back(warned(config.store.name() + " allows " +
                             std::to_string(*found->connections_limit) +
                             " connections to all its clients together, and store-connections is " +
                             std::to_string(wanted),
                         "raise max_connections there, or lower store-connections"));
  if (all.empty())
    all.push_back(fine(config.store.name() + ": " + found->engine + ", " + schema_text(*found)));
  return all;
}

health_findings check_last_protections(examined_service& of) {
  const auto& config = of.config();
  if (!has_fixed_port(config) || !of.store() || of.store()->version == 0) return {};
  const auto store = store::open_to_read(config.store);
  if (!store) return {}; // see check_store
  const auto last = find_last_protections(**store);
  if (!last) return {};
  const auto given = protections_of(config.given);
  base::value_of(check_against(*last, given));
  health_findings found;
  for (auto& each : weaker_protections(last->given, given))
    found.push_back(warned(std::move(each), "if this is not intended, put the old value back"));
  if (found.empty()) found.push_back(fine("none is weaker than at the last start on this host"));
  return found;
}

health_findings check_secrets(examined_service& of) {
  const auto& place = of.config().store;
  const auto secrets = base::value_of(store::open_secrets(place));
  // Without the store, only the master key can be checked.
  const bool can_look = place.url.empty() || (of.store() && of.store()->version != 0);
  if (!can_look) return {fine("the master key can be read")};
  const bool is_there = base::value_of(secrets->find()).has_value();
  return {fine(std::string{store::signing_keys_name} +
               (is_there ? " can be read" : " is missing; the start creates it"))};
}

health_findings check_bucket(examined_service& of) {
  const auto& config = of.config();
  if (!config.store.has_bucket()) return {};
  if (const auto found = store::examine_bucket(config.store); !found)
    return {refused(found.error().detail, waiting_advice(config, found.error()))};
  const auto bucket = config.store.objects.location.shown();
  if (!of.may_write)
    return {fine(bucket + " can be read and listed; writing was not tried (--write tries it)")};
  // No advice on waiting: serve does not write to the bucket before it serves.
  base::value_of(store::try_writing(config.store));
  return {fine(bucket + " can be read, listed and written")};
}

health_findings check_clock(examined_service& of) {
  const auto& store = of.store();
  if (!store || !store->ahead) return {};
  const auto ahead = std::chrono::abs(*store->ahead);
  if (ahead < clock_limit)
    return {fine("less than " + std::to_string(clock_limit.count()) + " ms from the database's")};
  return {warned("this machine's clock is " + std::to_string(ahead.count()) + " ms " +
                     (store->ahead->count() < 0 ? "ahead of" : "behind") + " the database's",
                 "synchronise it (NTP)")};
}

} // namespace matchcloud::app
