#include "actors/ingestion/ingest_tally.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

#include <chrono>
#include <limits>
#include <utility>

namespace matchcloud::actors {

namespace {

constexpr std::int64_t hour_ms = std::chrono::milliseconds{std::chrono::hours{1}}.count();

} // namespace

std::int64_t ingest_tally::hour_now() const noexcept {
  return clock_->unix_ms() / hour_ms;
}

bool ingest_tally::has_entry(const model::audit_author& by) const {
  const std::lock_guard lock{mutex_};
  return sums_.contains({hour_now(), by.what, by.name, by.id});
}

void ingest_tally::add(const model::audit_author& by, std::uint64_t lobbies, bool begins) {
  const std::lock_guard lock{mutex_};
  const auto hour = hour_now();
  const key of{hour, by.what, by.name, by.id};
  auto found = sums_.find(of);
  if (found == sums_.end()) {
    if (sums_.size() >= summed_authors_limit) return;
    found = sums_.emplace(of, ingest_sum{{by.what, by.name, by.id, {}, {}}, hour}).first;
  }
  found->second.lobbies += lobbies;
  if (begins) ++found->second.requests;
}

std::vector<ingest_sum> ingest_tally::take_over() {
  return take_before(hour_now());
}

std::vector<ingest_sum> ingest_tally::take_all() {
  return take_before(std::numeric_limits<std::int64_t>::max());
}

std::vector<ingest_sum> ingest_tally::take_before(std::int64_t hour) {
  const std::lock_guard lock{mutex_};
  std::vector<ingest_sum> taken;
  while (!sums_.empty() && sums_.begin()->second.hour < hour)
    taken.push_back(std::move(sums_.extract(sums_.begin()).mapped()));
  return taken;
}

void ingest_tally::put_back(const ingest_sum& sum) {
  const std::lock_guard lock{mutex_};
  const key of{sum.hour, sum.by.what, sum.by.name, sum.by.id};
  if (sums_.size() >= summed_authors_limit && !sums_.contains(of)) return;
  auto& to = sums_.try_emplace(of, ingest_sum{sum.by, sum.hour}).first->second;
  to.requests += sum.requests;
  to.lobbies += sum.lobbies;
}

model::audit_change describe(const ingest_sum& sum) {
  model::json_writer json;
  json.object().name("from").text(model::format_timestamp(sum.hour * hour_ms));
  json.name("until").text(model::format_timestamp((sum.hour + 1) * hour_ms));
  json.name("requests").number(sum.requests).name("lobbies").number(sum.lobbies).end_object();
  return {model::audit_action::lobbies_ingest_sum, {}, {}, json.take()};
}

base::expected<void> write_sums(store::database& into, const std::vector<ingest_sum>& sums,
                                ingest_tally& to) {
  base::expected<void> done;
  for (const auto& each : sums) {
    if (done)
      done = into.access(model::run_of(each.by)).and_then([&](const auto& log) {
        return log->record(describe(each));
      });
    // If the response to a commit was lost, the sum may be stored twice.
    if (!done) to.put_back(each);
  }
  return done;
}

} // namespace matchcloud::actors
