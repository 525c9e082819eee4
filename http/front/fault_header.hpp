#pragma once

#include "base/fault_point.hpp"

#include <string_view>

namespace matchcloud::http {

/// The fault points that an `X-Fault` header names: `avatar.receive, front.reply`. What is no point
/// is passed over. It does something only where a fault was injected there that says so.
base::fault_point_set faults_named_in(std::string_view header) noexcept;

} // namespace matchcloud::http
