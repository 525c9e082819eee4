#pragma once

#include "base/fault_point.hpp"

#include <string_view>

namespace matchcloud::http {

/// The fault points that an `X-Fault` header names: `avatar.receive, front.reply`. Unknown names
/// are ignored. A named point has an effect only where a fault with `header: true` is injected
/// there.
base::fault_point_set faults_named_in(std::string_view header) noexcept;

} // namespace matchcloud::http
