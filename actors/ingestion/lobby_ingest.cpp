#include "actors/ingestion/lobby_ingest.hpp"

#include "base/failure.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::actors {

using base::errc;
using base::value_of;

int status_of(const ingest_summary& summary) noexcept {
  const bool is_any_good = summary.accepted + summary.unchanged > 0;
  return summary.rejected_total > 0 && !is_any_good ? 422 : 200;
}

ingest_store::ingest_store(std::shared_ptr<store::database> into, std::uint64_t backlog_limit_bytes,
                           ingestion_metrics& metrics, const base::clock& clock)
    : into_{std::move(into)},
      backlog_limit_bytes_{backlog_limit_bytes},
      metrics_{&metrics},
      tally_{std::make_shared<ingest_tally>(clock)},
      gathering_{[this](std::span<store::merge_part> parts) {
        const auto done = merge_together(parts);
        if (done) return;
        for (auto& each : parts)
          each.merged = tl::unexpected(done.error());
      }} {}

base::expected<store::lobby_merge> ingest_store::merge(std::span<const model::lobby_record> records,
                                                       const model::lobby_attributes_table& kinds,
                                                       const model::audit_run_ptr& run,
                                                       bool begins) {
  run->is_recorded = run->is_recorded || tally_->has_entry(run->by);
  auto merged = gathering_.merge({records, &kinds, run, {}});
  if (merged && merged->accepted > 0) tally_->add(run->by, merged->accepted, begins);
  return merged;
}

base::expected<void> ingest_store::merge_together(std::span<store::merge_part> parts) {
  return base::attempt([&] {
    check_backlog();
    value_of(into_->sink())->merge_together(parts);
    for (const auto& each : parts)
      if (each.merged && each.merged->lasted.count() > 0)
        metrics_->transactions.observe(static_cast<std::uint64_t>(each.merged->lasted.count()));
    note_backlog();
  });
}

void ingest_store::check_backlog() {
  const auto upkeep = value_of(into_->upkeep());
  if (upkeep->backlog_bytes() <= backlog_limit_bytes_) return;
  value_of(upkeep->tidy());
  const auto left = upkeep->backlog_bytes();
  metrics_->backlog_bytes.set(static_cast<std::int64_t>(left));
  if (left > backlog_limit_bytes_)
    throw base::failure{
        errc::store_backlogged,
        "The store has {} bytes to tidy up, more than store-backlog-limit-bytes, and they are "
        "still being read. Lines that were committed stay; send all of them again later.",
        left};
}

void ingest_store::note_backlog() {
  if (const auto upkeep = into_->upkeep())
    metrics_->backlog_bytes.set(static_cast<std::int64_t>((*upkeep)->backlog_bytes()));
}

base::expected<void> lobby_ingest::feed(std::string_view bytes) {
  block_.assign(bytes.begin(), bytes.end());
  splitter_.feed(block_);
  return base::attempt([&] {
    while (const auto line = splitter_.next())
      add(*line);
  });
}

base::expected<ingest_summary> lobby_ingest::finish() {
  return base::attempt([&] {
    if (const auto line = splitter_.last()) add(*line);
    flush();
    return std::move(summary_);
  });
}

void lobby_ingest::add(const model::input_line& line) {
  if (auto finding = reader_.read(line, lobby_)) {
    reject(line.number, *std::move(finding));
  } else {
    records_.push_back({lobby_.lobby_id, lobby_.times, attributes_.number_of(lobby_.attributes)});
    lines_.push_back(line.number);
  }
  const bool full = records_.size() == ingest_batch_limit ||
                    attributes_.used_bytes() >= ingest_attributes_limit_bytes ||
                    rejected_.size() == detailed_rejections_limit;
  if (full) flush();
}

void lobby_ingest::sort_batch() {
  const auto by_id = [](const auto& a, const auto& b) { return a.lobby_id < b.lobby_id; };
  if (std::is_sorted(records_.begin(), records_.end(), by_id)) return;
  std::vector<std::size_t> order(records_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return by_id(records_[a], records_[b]); });
  const auto in_order = [&](auto& all) {
    auto from = std::exchange(all, {});
    all.reserve(from.size());
    for (const auto each : order)
      all.push_back(from[each]);
  };
  in_order(records_);
  in_order(lines_);
}

void lobby_ingest::flush() {
  sort_batch();
  for (std::size_t first = 0; first < records_.size();) {
    const auto merged = value_of(into_->merge(std::span{records_}.subspan(first), attributes_, run_,
                                              summary_.accepted == 0));
    summary_.accepted += merged.accepted;
    summary_.unchanged += merged.unchanged;
    metrics_->accepted.add(merged.accepted);
    metrics_->unchanged.add(merged.unchanged);
    for (const auto& each : merged.rejected)
      reject(lines_[first + each.index], each.finding);
    first += merged.taken;
  }
  records_.clear();
  lines_.clear();
  attributes_.clear();
  std::sort(rejected_.begin(), rejected_.end(),
            [](const auto& a, const auto& b) { return a.line < b.line; });
  for (auto& each : rejected_)
    if (summary_.rejected.size() < detailed_rejections_limit)
      summary_.rejected.push_back(std::move(each));
  rejected_.clear();
}

void lobby_ingest::reject(std::uint64_t line, model::line_finding finding) {
  ++summary_.rejected_total;
  metrics_->rejected.add();
  if (summary_.rejected.size() < detailed_rejections_limit)
    rejected_.push_back({line, finding.code, std::move(finding.message)});
}

} // namespace matchcloud::actors
