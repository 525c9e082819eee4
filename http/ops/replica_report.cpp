#include "http/ops/replica_report.hpp"

#include "base/build_info.hpp"
#include "model/json/json_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using model::json_writer;

constexpr std::string_view ready = "ready";
/// The most findings that a summary names.
constexpr std::size_t causes_limit = 16;
/// Replicas that had fewer requests are not compared by them.
constexpr double compared_requests = 20;
constexpr double odd_latency_factor = 3;
constexpr double odd_latency_us = 20'000;
constexpr double odd_failed_share = 0.01;
constexpr double odd_failed_factor = 5;
constexpr double odd_rate_share = 0.2;
constexpr double odd_rate_least = 50;

/// A summary that was read.
struct replica {
  std::string replica_id;
  /// Whether it is this process, which need not hear from itself.
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

double median(std::vector<double> of) {
  if (of.empty()) return 0;
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

std::string shown(double value) {
  return std::to_string(static_cast<std::int64_t>(std::lround(value)));
}

std::string shown_seconds(std::chrono::milliseconds of) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(of).count());
}

/// Compares one with the others.
class comparison {
public:
  comparison(const replica& one, std::span<const replica> all) : one_{one} {
    for (const auto& each : all) {
      if (each.replica_id != one.replica_id && each.age < replica_report::silence)
        others_.push_back(&each);
      if (!each.is_this) last_heard_ = std::min(last_heard_.value_or(each.age), each.age);
    }
  }

  std::vector<std::string> why_odd() {
    // If all are silent, this process cannot hear them.
    const bool hears = !last_heard_ || *last_heard_ < replica_report::silence;
    if (one_.age >= replica_report::silence && !hears) return {};
    if (one_.age >= replica_report::silence)
      return {"It has reported nothing for " + shown_seconds(one_.age) + " s."};
    if (one_.is_this && !hears)
      why_.push_back("It has heard nothing from the others for " + shown_seconds(*last_heard_) +
                     " s: either it cannot reach the store, or they cannot.");
    if (one_.state != ready && count([](const auto& of) { return of.state == ready; }) > 0)
      why_.push_back("It is not ready: " + one_.state + ".");
    if (2 * count([&](const auto& of) { return of.version != one_.version; }) > others_.size() + 1)
      why_.push_back("It runs version " + one_.version + ", unlike most others.");
    compare_requests();
    for (const auto& cause : one_.causes)
      if (!others_.empty() && count([&](const auto& of) {
                                return std::ranges::find(of.causes, cause) != of.causes.end();
                              }) == 0)
        why_.push_back("Only this one has the finding " + cause + ".");
    return std::move(why_);
  }

private:
  template <class Is>
  std::size_t count(Is is) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(others_, [&](const auto* of) { return is(*of); }));
  }
  double median_of(double replica::*what, double least_requests) const {
    std::vector<double> values;
    for (const auto* each : others_)
      if (each->requests >= least_requests) values.push_back(each->*what);
    return median(std::move(values));
  }

  void compare_requests() {
    const auto usual_rate = median_of(&replica::requests_per_second, 0);
    if (usual_rate >= odd_rate_least && one_.requests_per_second < odd_rate_share * usual_rate)
      why_.push_back("It gets " + shown(one_.requests_per_second) +
                     " requests per second; the others get " + shown(usual_rate) + ".");
    if (one_.requests < compared_requests ||
        count([](const auto& of) { return of.requests >= compared_requests; }) == 0)
      return;
    const auto usual_us = median_of(&replica::p99_us, compared_requests);
    if (one_.p99_us > odd_latency_factor * usual_us && one_.p99_us > usual_us + odd_latency_us)
      why_.push_back("One in a hundred of its requests takes " + shown(one_.p99_us / 1'000) +
                     " ms or more; for the others, it is " + shown(usual_us / 1'000) + " ms.");
    const auto usual_failed = median_of(&replica::failed_share, compared_requests);
    if (one_.failed_share > odd_failed_share &&
        one_.failed_share > odd_failed_factor * usual_failed)
      why_.push_back(shown(one_.failed_share * 100) +
                     " % of its requests fail with 5xx; for the others, it is " +
                     shown(usual_failed * 100) + " %.");
  }

  const replica& one_;
  std::vector<const replica*> others_;
  /// How long ago another one last reported; nothing: there is no other.
  std::optional<std::chrono::milliseconds> last_heard_;
  std::vector<std::string> why_;
};

} // namespace

namespace {

struct compared_part {
  /// Answers with 5xx of operations of the data plane.
  std::uint64_t failed = 0;
  /// Of operations that are quick.
  latency_spread latency;
};

compared_part compared_of(const history_interval& past) {
  compared_part made;
  for (const auto& [id, each] : past.operations) {
    if (row_of(id).plane == plane::data && id != operation::unmatched)
      made.failed += each.answers[5];
    if (is_served_quickly(id)) made.latency.add(each.latency);
  }
  return made;
}

} // namespace

std::string replica_report::summary() const {
  const auto past = history_.past(span);
  const auto all = past.sum_of(plane::data);
  // Requests that match no operation, and files, say nothing about the state of this replica.
  const auto compared = compared_of(past);
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
  of.failed_share = requests > 0 ? static_cast<double>(compared.failed) / requests : 0;
  of.p50_us = static_cast<double>(compared.latency.percentile_ns(0.5)) / 1e3;
  of.p99_us = static_cast<double>(compared.latency.percentile_ns(0.99)) / 1e3;
  for (const auto us : past.busy_us)
    of.busy = std::max(of.busy, std::min(1.0, static_cast<double>(us) / 1e6 / seconds));
  for (auto& each : causes_.find(state_() == ready))
    if (of.causes.size() < causes_limit) of.causes.push_back(std::move(each.cause));
  json_writer json;
  json.object();
  write_measures(json, of);
  return json.end_object().take();
}

namespace {

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

std::string replica_report::report(const std::vector<told_summary>& heard) const {
  const auto all = read_all(heard, {self_.replica_id, {}, summary()});
  json_writer json;
  json.object().name("replicas").array();
  for (const auto& each : all) {
    json.object().name("replica_id").text(each.replica_id);
    json.name("is_this").boolean(each.is_this);
    json.name("age_ms").number(each.age.count());
    write_measures(json, each);
    json.name("odd").array();
    for (const auto& why : comparison{each, all}.why_odd())
      json.text(why);
    json.end_array().end_object();
  }
  return json.end_array().end_object().take();
}

std::vector<attention_finding>
replica_report::find_odd(const std::vector<told_summary>& heard) const {
  const auto all = read_all(heard, {self_.replica_id, {}, summary()});
  std::vector<attention_finding> found;
  for (const auto& each : all)
    if (const auto why = comparison{each, all}.why_odd(); !why.empty())
      found.push_back({actors::attention_severity::warning, std::string{odd_cause},
                       "Replica " + each.host + " (" + each.ops_url +
                           ") differs from the others. " + why.front(),
                       "/v1/replicas"});
  return found;
}

} // namespace matchcloud::http
