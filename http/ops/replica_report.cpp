#include "http/ops/replica_report.hpp"

#include "base/build_info.hpp"
#include "model/json/json_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using model::json_writer;

/// The most findings that a summary names.
constexpr std::size_t causes_limit = 16;

/// A summary that was read.
struct replica {
  std::string replica_id;
  bool is_this = false;
  std::chrono::milliseconds age{0};
  std::string host;
  std::string ops_url;
  std::string version;
  std::string state;
  std::int64_t began_ms = 0;
  double requests = 0;
  double requests_per_second = 0;
  double failed_share = 0;
  double p50_us = 0;
  double p99_us = 0;
  double busy = 0;
  std::vector<std::string> causes;
};

/// Missing members are empty, because another version may report less.
std::optional<replica> read(const told_summary& told) {
  rapidjson::Document all;
  all.Parse(told.json.data(), told.json.size());
  if (all.HasParseError() || !all.IsObject()) return std::nullopt;
  replica made;
  made.replica_id = told.replica_id;
  made.age = told.age;
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

void write_number(json_writer& json, std::string_view name, double value) {
  std::string text;
  model::append_shortest(text, std::round(value * 1e4) / 1e4);
  json.name(name).raw(text);
}

void write_measures(json_writer& json, const replica& of) {
  json.name("host").text(of.host).name("ops_url").text(of.ops_url);
  json.name("version").text(of.version).name("state").text(of.state);
  json.name("began_ms").number(of.began_ms);
  write_number(json, "requests", of.requests);
  write_number(json, "requests_per_second", of.requests_per_second);
  write_number(json, "failed_share", of.failed_share);
  write_number(json, "p50_us", of.p50_us);
  write_number(json, "p99_us", of.p99_us);
  write_number(json, "busy", of.busy);
  json.name("causes").array();
  for (const auto& each : of.causes)
    json.text(each);
  json.end_array();
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
  replica of;
  of.host = self_.host;
  of.ops_url = self_.ops_url;
  of.version = base::built().version;
  of.state = state_();
  of.began_ms = self_.began_ms;
  of.requests = requests;
  of.requests_per_second = requests / seconds;
  of.failed_share = requests > 0 ? static_cast<double>(of_requests.failed) / requests : 0;
  of.p50_us = static_cast<double>(of_requests.latency.percentile_ns(0.5)) / 1e3;
  of.p99_us = static_cast<double>(of_requests.latency.percentile_ns(0.99)) / 1e3;
  for (const auto us : past.busy_us)
    of.busy = std::max(of.busy, std::min(1.0, static_cast<double>(us) / 1e6 / seconds));
  for (auto& each : causes_.find(of.state == "ready"))
    if (of.causes.size() < causes_limit) of.causes.push_back(std::move(each.cause));
  json_writer json;
  json.object();
  write_measures(json, of);
  return json.end_object().take();
}

std::string replica_report::report(const std::vector<told_summary>& heard) const {
  const auto all = read_all(heard, {self_.replica_id, {}, summary()});
  json_writer json;
  json.object().name("replicas").array();
  for (const auto& each : all) {
    json.object().name("replica_id").text(each.replica_id);
    json.name("is_this").boolean(each.is_this);
    json.name("age_ms").number(each.age.count());
    write_measures(json, each);
    json.end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::http
