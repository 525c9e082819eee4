#pragma once

#include "base/fault_point.hpp"
#include "tests/service/process.hpp"

#include <cstdint>
#include <string>

/// What clients may see of faults, and how tests inject them.
namespace matchcloud::faults {

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
