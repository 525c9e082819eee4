// The parts of a generator beyond single requests: flows, and the replay of a log.
#include "load/generator.hpp"

#include <utility>

namespace matchcloud::load {

void generator::prepare_replay() {
  // Only the status of the replies is known.
  static const mix_part part;
  static const request_form any_reply;
  for (std::size_t i = 0; i < plan_->replay->rows().size(); ++i)
    parts_.push_back({reply_check{part, &any_reply}, nullptr});
  const auto& entries = plan_->replay->entries();
  std::vector<std::chrono::nanoseconds> times;
  for (std::size_t i = plan_->first_entry; i < entries.size(); i += plan_->replay_step)
    times.push_back(entries[i].at);
  arrivals_.emplace(std::move(times));
  next_entry_ = plan_->first_entry;
}

request_source::request generator::next_request() {
  if (plan_->replay == nullptr) return requests_.next();
  const auto& entry = plan_->replay->entries()[next_entry_];
  next_entry_ += plan_->replay_step;
  const auto& bytes = (*plan_->replayed)[entry.request];
  return {entry.row, bytes.text, bytes.token_at, entry.status};
}

/// Begins a flow on the client, which keeps it until the flow has ended. Returns the first request.
request_source::request generator::begin_walk(client& by, const flow_walk::path& along,
                                              base::steady_time intended) {
  const auto& lines = along.flow->lines;
  std::string_view line;
  if (!lines.empty()) line = lines[flow_engine_() % lines.size()];
  auto& walk = walks_.insert_or_assign(&by, flow_walk{along, line, intended}).first->second;
  if (is_measured(intended)) ++flow_tallies_[along.index].sent;
  return walk.begin(flow_engine_);
}

/// Returns what is wrong with a reply that has the right status. For a flow, also makes its next
/// request.
std::string generator::judge(const client& from, const reply& that) {
  auto wrong = parts_[from.request().part].check.judge(that);
  if (!wrong.empty() || walks_.empty()) return wrong;
  const auto found = walks_.find(&from);
  return found == walks_.end() ? wrong : found->second.take(that, flow_engine_);
}

/// Sends the next request of the client's flow. False if there is none.
bool generator::walk_on(client& from, base::steady_time came) {
  if (walks_.empty()) return false;
  const auto found = walks_.find(&from);
  if (found == walks_.end()) return false;
  const auto& walk = found->second;
  if (!walk.next()) {
    if (is_measured(walk.began())) {
      auto& counted = flow_tallies_[walk.index()];
      ++counted.answered;
      counted.latency.record(since(walk.began(), came));
    }
    walks_.erase(found);
    return false;
  }
  if (stopped_early_) {
    fail_walk(from, failure::abandoned, "not sent because a signal ended the run");
    return false;
  }
  // A later step is due when the reply to the previous one has been read.
  const auto now = clock_->now();
  ++interval_.parts[walk.next()->part].sent;
  count(walk.next()->part, now, [](tally& counted) {
    ++counted.sent;
    counted.late.delays.record(0);
  });
  from.ask(*walk.next(), now);
  return true;
}

/// Ends the client's flow, if it is in one, at a step that failed.
void generator::fail_walk(const client& from, failure kind, std::string_view why) {
  if (walks_.empty()) return;
  const auto found = walks_.find(&from);
  if (found == walks_.end()) return;
  const auto& walk = found->second;
  if (is_measured(walk.began())) {
    auto& counted = flow_tallies_[walk.index()];
    const auto waited = since(walk.began(), clock_->now());
    counted.fail(kind, walk.step_name() + ": " + std::string{why});
    if (is_recorded(kind, waited)) counted.latency.record(waited);
  }
  walks_.erase(found);
}

/// Counts a request that was not sent for the flow that it would have begun, if any.
void generator::count_unbegun(std::size_t part, std::uint64_t waited_ns) {
  const auto* flow = parts_[part].flow;
  if (flow == nullptr) return;
  auto& counted = flow_tallies_[flow->index];
  counted.fail(failure::unsent, "no connection was free");
  counted.latency.record(waited_ns);
}

} // namespace matchcloud::load
