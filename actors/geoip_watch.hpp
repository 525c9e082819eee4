#pragma once

#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "store/geoip/geoip_files.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace matchcloud::actors {

/// What GeoIP watches count. Any thread.
struct geoip_metrics {
  /// Files taken up while serving.
  base::counter taken;
  /// Replacements that were not taken.
  base::counter refused;
  /// When a file was last opened, at start or later, in seconds since 1970.
  base::gauge last_taken_s;
};

/// How a GeoIP watch reaches the files. What is pointed at must outlive the pool's jobs.
struct geoip_watch_settings {
  /// Shared by the actors that follow each other: what one found, its successor does not lose.
  std::shared_ptr<store::geoip_files> files;
  base::blocking_pool* pool = nullptr;
  const base::clock* clock = nullptr;
  geoip_metrics* metrics = nullptr;
  std::chrono::milliseconds poll_interval{250};
};

/// Looks whether GeoIP files were replaced, and sends what is in force then to its subscribers; the
/// log tells what was taken up and what was refused. One, on the pool; its blocking work runs on
/// the blocking pool, one job at a time.
class geoip_watch final : public supervised_actor {
public:
  /// `in_force` is what the subscribers has.
  geoip_watch(caf::actor_config& cfg, geoip_watch_settings settings,
              std::shared_ptr<const store::geoip> in_force);

  const char* name() const override { return "geoip_watch"; }

protected:
  caf::behavior make_behavior() override;

private:
  void look();
  void look_later();
  void tell_all();
  void on(const geoip_looked& found);

  geoip_watch_settings settings_;
  std::shared_ptr<const store::geoip> in_force_;
  std::vector<caf::actor> subscribers_;
};

} // namespace matchcloud::actors
