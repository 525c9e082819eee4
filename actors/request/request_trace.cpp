#include "actors/request/request_trace.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

#include <chrono>
#include <utility>

namespace matchcloud::actors {

namespace {

std::int64_t us_between(base::steady_time from, base::steady_time to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from).count();
}

} // namespace

void request_trace::enter(std::string_view place) {
  const auto now = clock_->now();
  const std::lock_guard lock{mutex_};
  if (steps_.size() < steps_limit) steps_.push_back({place, now, now});
}

void request_trace::leave(std::string_view place) {
  const auto now = clock_->now();
  const std::lock_guard lock{mutex_};
  for (auto each = steps_.rbegin(); each != steps_.rend(); ++each)
    if (each->place == place) {
      each->ended = now;
      return;
    }
}

std::vector<request_trace::step> request_trace::steps() const {
  const std::lock_guard lock{mutex_};
  return steps_;
}

void trace_log::keep(std::shared_ptr<const request_trace> trace, std::string_view operation,
                     int status, std::string request_id) {
  const auto ended = clock_->now();
  const std::lock_guard lock{mutex_};
  entries_.push_back({std::move(trace), operation, status, std::move(request_id), ended});
  if (entries_.size() > kept_limit) entries_.pop_front();
}

std::string trace_log::report() const {
  const std::lock_guard lock{mutex_};
  model::json_writer json;
  json.object().name("one_in").number(one_in_).name("traces").array();
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
    const auto& each = *at;
    const auto began = each.trace->began();
    json.object().name("request_id").text(each.request_id);
    json.name("operation").text(each.operation).name("status").number(each.status);
    json.name("began").text(model::format_timestamp(each.trace->began_ms()));
    json.name("total_us").number(us_between(began, each.ended)).name("steps").array();
    for (const auto& step : each.trace->steps()) {
      json.object()
          .name("place")
          .text(step.place)
          .name("at_us")
          .number(us_between(began, step.began));
      json.name("us").number(us_between(step.began, step.ended)).end_object();
    }
    json.end_array().end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::actors
