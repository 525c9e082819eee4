#include "tests/faults/fault_control.hpp"

#include "tests/faults/service_calls.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/json.hpp"

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

} // namespace matchcloud::faults
