#include "http/ops/replica_report.hpp"

#include "base/build_info.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

/// The most findings that a summary names.
constexpr std::size_t causes_limit = 16;

double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

/// Missing members are empty, because another version may report less.
std::optional<replica> read(const told_summary& told) {
  const auto all = model::parse_members(told.json);
  if (!all.IsObject()) return std::nullopt;
  replica made;
  made.replica_id = told.replica_id;
  made.age_ms = told.age.count();
  made.host = model::member_text(all, "host");
  made.ops_url = model::member_text(all, "ops_url");
  made.version = model::member_text(all, "version");
  made.state = model::member_text(all, "state");
  made.began_ms = static_cast<std::int64_t>(model::member_count(all, "began_ms"));
  made.requests = model::member_number(all, "requests");
  made.requests_per_second = model::member_number(all, "requests_per_second");
  made.failed_share = model::member_number(all, "failed_share");
  made.p50_us = model::member_number(all, "p50_us");
  made.p99_us = model::member_number(all, "p99_us");
  made.busy = model::member_number(all, "busy");
  for (const auto& each : model::member_elements(all, "causes"))
    if (each.IsString() && made.causes.size() < causes_limit)
      made.causes.emplace_back(each.GetString(), each.GetStringLength());
  return made;
}

/// Requests that match no operation, and files, say nothing about the state of a replica.
struct quality {
  /// Answers with 5xx of operations of the data plane.
  std::uint64_t failed = 0;
  /// Of operations that are quick.
  latency_spread latency;
};

quality quality_of(const history_interval& past) {
  quality made;
  for (const auto& [what, each] : past.operations) {
    if (what.of == plane::data && what.id != operation::unmatched) made.failed += each.answers[5];
    if (is_served_quickly(what.id)) made.latency.add(each.latency);
  }
  return made;
}

/// The summaries that can be read, with this process's current one in place of its reported one.
std::vector<replica> read_all(const std::vector<told_summary>& heard, const told_summary& own) {
  std::vector<replica> all;
  for (const auto& each : heard)
    if (each.replica_id != own.replica_id)
      if (auto one = read(each)) all.push_back(*std::move(one));
  if (auto one = read(own)) {
    one->is_this = true;
    all.push_back(*std::move(one));
  }
  std::ranges::sort(all, {}, [](const replica& each) {
    return std::pair{each.host, each.ops_url + each.replica_id};
  });
  return all;
}

} // namespace

std::string replica_report::summary() const {
  const auto past = history_.past(span);
  const auto all = past.sum_of(plane::data);
  const auto of_requests = quality_of(past);
  const auto seconds =
      static_cast<double>(std::max<std::int64_t>(1, past.end_ms - past.begin_ms)) / 1e3;
  const auto requests = static_cast<double>(all.requests());
  replica_summary of{.host = self_.host,
                     .ops_url = self_.ops_url,
                     .version = std::string{base::built().version},
                     .state = std::string{state_()},
                     .began_ms = self_.began_ms,
                     .requests = requests};
  of.requests_per_second = rounded(requests / seconds);
  if (requests > 0) of.failed_share = rounded(static_cast<double>(of_requests.failed) / requests);
  of.p50_us = rounded(static_cast<double>(of_requests.latency.percentile_ns(0.5)) / 1e3);
  of.p99_us = rounded(static_cast<double>(of_requests.latency.percentile_ns(0.99)) / 1e3);
  for (const auto us : past.busy_us)
    of.busy = std::max(of.busy, rounded(std::min(1.0, static_cast<double>(us) / 1e6 / seconds)));
  for (auto& each : causes_.find(of.state == "ready"))
    if (of.causes.size() < causes_limit) of.causes.push_back(std::move(each.cause));
  return model::to_json(of);
}

std::string replica_report::report(const std::vector<told_summary>& heard) const {
  return model::to_json("replicas", read_all(heard, {self_.replica_id, {}, summary()}));
}

} // namespace matchcloud::http
