#pragma once

#include "base/fault_point.hpp"
#include "tests/service/server.hpp"

#include <cstdint>
#include <string>

/// Calls to the ops plane's fault routes. They throw `std::runtime_error` if refused.
namespace matchcloud::faults {

/// Injects the fault that `rule`, a JSON object, describes.
void inject(const e2e::address& ops, base::fault_point at, const std::string& rule);
/// Removes all faults.
void heal(const e2e::address& ops);
/// The number of hits at a fault point since its fault was injected.
std::uint64_t hits_of(const e2e::address& ops, base::fault_point at);
/// The total restarts of all children.
std::uint64_t restarts_of(const e2e::server& service);

/// Flags that allow fault injection with a fixed seed and set short timeouts.
e2e::arguments breakable(const e2e::arguments& further = {});

} // namespace matchcloud::faults
