#pragma once

#include "base/fault_point.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <cstdint>
#include <string>

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

/// Flags with timeouts long enough for what a request does, and short enough to wait for lost ones.
const e2e::arguments& impatient();

/// Whether the service of these tests passes the point: it has no bucket, whose faults
/// tests/objects has.
bool is_passed(base::fault_point at);
/// Whether faults at this point change bytes on the wire, so that an answer may be invalid.
bool is_of_the_wire(base::fault_point at);
/// Whether the point is one of the supervisor's.
bool is_supervisors(base::fault_point at);

/// Which passes of a point are hit: 1 is all of them.
std::uint64_t every_of(base::fault_point at);
/// A rule that hits every pass of points that are rarely passed, and every second one of others.
std::string rule_of(base::fault_point at, base::fault_kind kind);

/// Whether clients may get this status while a fault is injected at this point.
bool may_be_answered(base::fault_point at, int status);

} // namespace matchcloud::faults
