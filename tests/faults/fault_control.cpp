#include "tests/faults/fault_control.hpp"

#include "tests/faults/clients.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

namespace matchcloud::faults {

namespace {

std::string route_of(base::fault_point at) {
  return "/faults/" + std::string{facts_of(at).name};
}

e2e::answer request_ops(const e2e::address& ops, const std::string& method,
                        const std::string& target, const std::string& body = {}) {
  const e2e::deadline until;
  auto got = ask_ops(ops, method, target, body);
  // The deadlines of these services are short, and a busy disk may take longer for the entry of the
  // audit log. What is not answered in time was not done.
  while (got.status == 504 && !until.passed())
    got = ask_ops(ops, method, target, body);
  if (got.status >= 300)
    throw std::runtime_error{method + " " + target + " " + body + ": " +
                             std::to_string(got.status) + " " + got.body};
  return got;
}

} // namespace

void inject(const e2e::address& ops, base::fault_point at, const std::string& rule) {
  request_ops(ops, "PUT", route_of(at), rule);
}

void heal(const e2e::address& ops) {
  request_ops(ops, "DELETE", "/faults");
}

std::uint64_t hits_of(const e2e::address& ops, base::fault_point at) {
  const auto status = e2e::parse_json(request_ops(ops, "GET", route_of(at)).body);
  return status["hits"].GetUint64();
}

std::uint64_t restarts_of(const e2e::server& service) {
  return static_cast<std::uint64_t>(service.metric("matchcloud_actor_restarts_total"));
}

e2e::arguments breakable(const e2e::arguments& further) {
  e2e::arguments all{"--enable-fault-injection", "--fault-seed", "7", "--loops", "2"};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

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
