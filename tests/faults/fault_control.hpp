#pragma once

#include "base/fault_point.hpp"
#include "tests/e2e/server.hpp"

#include <cstdint>
#include <string>

/// The ops plane's routes about faults. They throw `std::runtime_error` where they are refused.
namespace matchcloud::faults {

/// Injects what `rule`, a JSON object, says.
void inject(const e2e::address& ops, base::fault_point at, const std::string& rule);
/// Takes all faults away.
void heal(const e2e::address& ops);
/// How many passes of a point were hit since its fault was injected.
std::uint64_t hits_of(const e2e::address& ops, base::fault_point at);
/// Restarts of all places together.
std::uint64_t restarts_of(const e2e::server& service);

/// Flags that let a service be broken, by the same chances each time, and be quick to give up.
e2e::arguments breakable(const e2e::arguments& further = {});

} // namespace matchcloud::faults
