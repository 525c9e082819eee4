#include "tests/faults/fault_oracle.hpp"

#include "tests/faults/chances.hpp"

#include <algorithm>
#include <initializer_list>

namespace matchcloud::faults {

namespace {

using base::fault_kind;
using base::fault_point;

bool is_one_of(fault_point at, std::initializer_list<fault_point> those) {
  return std::ranges::find(those, at) != those.end();
}

/// Whether the point is passed so rarely that every pass must be hit.
bool is_rare(fault_point at) {
  using enum fault_point;
  return is_one_of(at, {catalog_receive, catalog_reply, geoip_watch_receive, geoip_watch_reply,
                        supervisor_receive, supervisor_reply, store_open, geoip_reload,
                        export_write, export_sync, export_rename});
}

} // namespace

const e2e::arguments& impatient() {
  static const e2e::arguments flags{"--request-timeout-ms", sanitized ? "2000" : "400",
                                    "--ingest-timeout-ms",  sanitized ? "2000" : "400",
                                    "--export-timeout-ms",  sanitized ? "4000" : "1500",
                                    "--idle-timeout-ms",    "1500",
                                    "--head-timeout-ms",    "1500",
                                    "--body-timeout-ms",    "1500",
                                    "--write-timeout-ms",   "1500"};
  return flags;
}

bool is_passed(fault_point at) {
  return at != fault_point::bucket_request;
}

bool is_of_the_wire(fault_point at) {
  using enum fault_point;
  return is_one_of(at, {accept, read, write, frame});
}

bool is_supervisors(fault_point at) {
  return is_one_of(at, {fault_point::supervisor_receive, fault_point::supervisor_reply});
}

std::uint64_t every_of(fault_point at) {
  return is_rare(at) ? 1 : 2;
}

std::string rule_of(fault_point at, fault_kind kind) {
  return R"({"kind":")" + std::string{name_of(kind)} + R"(","every":)" +
         std::to_string(every_of(at)) +
         (kind == fault_kind::delay ? R"(,"delay_ms":[5,20]})" : "}");
}

bool may_be_answered(fault_point at, int status) {
  if (status == 200 || status == 503 || status == 504) return true;
  // Ingests and exports report disk errors; a wrong clock makes URLs expire.
  if (status == 500 || status == 507) return at >= fault_point::store_open;
  return status == 403 && at == fault_point::clock;
}

} // namespace matchcloud::faults
