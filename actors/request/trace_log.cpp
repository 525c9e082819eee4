#include "actors/request/trace_log.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/trace_context.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

using model::json_writer;

std::int64_t us_between(base::steady_time from, base::steady_time to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from).count();
}

void write_step(json_writer& json, std::string_view place, std::string_view kind,
                base::steady_time origin, base::steady_time began, base::steady_time ended) {
  json.object().name("place").text(place).name("kind").text(kind);
  json.name("at_us").number(us_between(origin, began));
  json.name("us").number(us_between(began, ended)).end_object();
}

/// Writes the steps, the waiting between them, and how long sending took.
void write_steps(json_writer& json, const std::vector<request_trace::step>& steps,
                 base::steady_time began, base::steady_time ended, base::steady_time sent) {
  auto at = began;
  json.name("steps").array();
  for (const auto& each : steps) {
    const auto from = std::clamp(each.began, began, ended);
    const auto to = std::clamp(each.ended, from, ended);
    if (us_between(at, from) > 0) write_step(json, each.place, "wait", began, at, from);
    write_step(json, each.place, each.kind == step_kind::fault ? "fault" : "work", began, from, to);
    at = std::max(at, to);
  }
  if (!steps.empty() && us_between(at, ended) > 0)
    write_step(json, "front", "wait", began, at, ended);
  if (us_between(ended, sent) > 0) write_step(json, "sending", "work", began, ended, sent);
  json.end_array();
}

} // namespace

trace_log::trace_log(std::uint64_t one_in, std::size_t operations, const base::clock& clock)
    : one_in_{one_in}, clock_{&clock}, slow_from_ns_(operations), kept_(operations) {}

sent_mark trace_log::keep(const answered_request& what) {
  auto made = std::make_shared<entry>();
  made->steps = what.of->trace.steps();
  made->operation = what.operation;
  made->operation_name = what.operation_name;
  made->status = what.status;
  made->is_sampled = what.of->trace.is_sampled();
  made->request_id = what.request_id;
  made->trace_id = model::trace_id_of(what.trace_parent);
  made->game_id = what.of->game;
  made->began = what.began;
  made->ended = what.ended;
  made->began_ms = clock_->unix_ms() - std::chrono::duration_cast<std::chrono::milliseconds>(
                                           std::max(clock_->now(), what.began) - what.began)
                                           .count();
  const std::lock_guard lock{mutex_};
  if (made->is_sampled) {
    sampled_.push_back(made);
    if (sampled_.size() > sampled_limit) sampled_.pop_front();
  }
  if (made->status >= client_gone_status) {
    auto& failed = kept_[made->operation].failed;
    failed.push_back(made);
    if (failed.size() > failed_limit) failed.pop_front();
  }
  keep_slow(made);
  return {made, &made->sent};
}

void trace_log::keep_slow(const entry_ptr& made) {
  auto& slow = kept_[made->operation].slow;
  slow.insert(std::ranges::upper_bound(slow, made->took_ns(), {},
                                       [](const entry_ptr& each) { return each->took_ns(); }),
              made);
  if (slow.size() > slow_limit) slow.erase(slow.begin());
  note_slow_from(made->operation);
}

void trace_log::note_slow_from(std::size_t operation) {
  const auto& slow = kept_[operation].slow;
  slow_from_ns_[operation].store(slow.size() < slow_limit ? -1 : slow.front()->took_ns(),
                                 std::memory_order_relaxed);
}

void trace_log::age() {
  const auto now = clock_->now();
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (std::erase_if(kept_[i].slow,
                      [&](const entry_ptr& each) { return now - each->ended > slow_kept; }) > 0)
      note_slow_from(i);
}

std::string trace_log::report(const trace_query& wanted) const {
  const auto is_wanted = [&](const entry& each) {
    return (wanted.operation.empty() || each.operation_name == wanted.operation) &&
           (!wanted.status || each.status == *wanted.status) &&
           (!wanted.game_id || each.game_id == wanted.game_id) &&
           (wanted.request_id.empty() || each.request_id == wanted.request_id) &&
           each.took_ns() >= std::chrono::nanoseconds{wanted.slower_than}.count();
  };
  std::vector<entry_ptr> found;
  {
    const auto take = [&](const entry_ptr& each) {
      if (is_wanted(*each)) found.push_back(each);
    };
    const std::lock_guard lock{mutex_};
    std::ranges::for_each(sampled_, take);
    for (const auto& each : kept_) {
      std::ranges::for_each(each.slow, take);
      std::ranges::for_each(each.failed, take);
    }
  }
  // A request may be kept for several reasons.
  std::ranges::sort(found, [](const entry_ptr& a, const entry_ptr& b) {
    return a->ended != b->ended ? a->ended > b->ended : a < b;
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());

  json_writer json;
  json.object().name("one_in").number(one_in_).name("traces").array();
  for (const auto& each : found) {
    json.object().name("request_id").text(each->request_id).name("trace_id");
    each->trace_id.empty() ? json.null() : json.text(each->trace_id);
    json.name("operation").text(each->operation_name).name("status").number(each->status);
    json.name("game_id");
    each->game_id ? json.text(to_string(*each->game_id)) : json.null();
    json.name("is_sampled").boolean(each->is_sampled);
    json.name("began").text(model::format_timestamp(each->began_ms));
    json.name("total_us").number(us_between(each->began, each->ended));
    write_steps(json, each->steps, each->began, each->ended, each->sent);
    json.end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::actors
