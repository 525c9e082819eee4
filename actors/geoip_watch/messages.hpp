#pragma once

#include "actors/request/message.hpp"
#include "store/geoip/geoip.hpp"

#include <memory>

namespace matchcloud::actors {

/// geoip_watch -> geoip_watch, at every poll interval.
struct look_at_geoip {};

/// blocking pool -> geoip_watch: the current files after a check.
struct geoip_looked {
  std::shared_ptr<const store::geoip> in_force;
};

} // namespace matchcloud::actors
