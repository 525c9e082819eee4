#pragma once

#include "actors/geoip_watch/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "store/geoip/geoip_files.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace matchcloud::actors {

/// Counts of the GeoIP watches. Any thread.
struct geoip_metrics : base::metric_set {
  base::counter taken{
      *this,
      {"matchcloud_geoip_reloads_total", "Replaced GeoIP files that were loaded while serving."}};
  base::counter refused{*this,
                        {"matchcloud_geoip_refused_total",
                         "Replaced GeoIP files that were refused; the log says why."}};
  base::gauge last_taken_s{*this,
                           {"matchcloud_geoip_loaded_timestamp_seconds",
                            "When a GeoIP file was last loaded, in seconds since 1970."}};
};

/// Checks whether GeoIP files were replaced and sends the current files to its subscribers; logs
/// which replacements were loaded and which were rejected. One, on the actors' pool; its blocking
/// work runs on the blocking pool, one task at a time.
class geoip_watch final : public supervised_actor {
public:
  /// `in_force` is what the subscribers have.
  geoip_watch(caf::actor_config& cfg, const services& with,
              std::shared_ptr<const store::geoip> in_force,
              std::chrono::milliseconds poll_interval = std::chrono::milliseconds{250});

  const char* name() const override { return "geoip_watch"; }

protected:
  caf::behavior make_behavior() override;

private:
  void poll();
  void poll_later();
  void publish_files();
  void on(const geoip_looked& found);

  const services* with_;
  std::chrono::milliseconds poll_interval_;
  std::shared_ptr<const store::geoip> in_force_;
  std::vector<caf::actor> subscribers_;
};

} // namespace matchcloud::actors
