#include "actors/lobby_export/export_job.hpp"

#include "base/crypto/signing.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/faults.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace matchcloud::actors {

namespace {

/// The error that clients get if the store or the new file fails; clients need not tell them apart.
base::error export_impossible() {
  return {base::errc::store_failed,
          "The export cannot be made now. The service's log has the cause for its operator. Retry "
          "later.",
          true};
}

/// Converts an error for clients: paths and SQL are only for the operator's log.
base::error for_clients(const base::error& why, const model::export_query& query) {
  if (!base::is_local_failure(why.code)) return why;
  base::log(base::log_event::export_failed, "export of game {}: {}",
            model::to_string(query.game_id), base::to_string(why));
  if (why.code == base::errc::internal) return why;
  if (why.code == base::errc::store_full)
    return {
        base::errc::store_full,
        "The service's disk is full, so the export was abandoned. Its operator has to make room.",
        true};
  if (why.code == base::errc::history_too_slow) return {why.code, {}};
  return export_impossible();
}

base::error took_too_long(std::chrono::milliseconds timeout) {
  return {base::errc::deadline_exceeded,
          "The export took longer than " + std::to_string(timeout.count()) +
              " ms. Request a shorter span, or split the span into several exports."};
}

class job {
public:
  job(const services& with, const export_job_settings& settings, std::uint64_t number,
      const model::export_query& query, export_reports& to)
      : with_{&with},
        settings_{&settings},
        number_{number},
        query_{&query},
        to_{&to},
        deadline_{with.clock->now() + settings.timeout} {}

  export_ended run() {
    const auto id = with_->new_id();
    // Links are issued a little later than now.
    const auto linked_until_ts =
        settings_->link_end_s(*with_->clock) * 1'000 + settings_->url_lifetime.count() / 8;
    auto found = with_->exports->begin({*query_, id, linked_until_ts});
    if (!found) return failed(std::move(found).error());
    if (auto* other = std::get_if<store::other_export>(&*found)) return had(std::move(*other));
    auto& draft = *std::get<std::unique_ptr<store::export_draft>>(*found);
    if (draft.export_id() != id) with_->export_metrics->taken_over.add();
    auto written = base::attempt([&] { return write(draft); });
    if (written) return *std::move(written);
    // The process that took over reads a later state, which serves all requests waiting here.
    return draft.ask_own() ? failed(std::move(written).error())
                           : had({{{draft.export_id(), *query_}}, {}});
  }

private:
  export_ended failed(base::error why) const {
    if (why.code == base::errc::cancelled && !to_->closing())
      why = took_too_long(settings_->timeout);
    export_ended result;
    result.failure = std::make_shared<const base::error>(for_clients(why, *query_));
    return result;
  }

  /// Another process has the export.
  static export_ended had(store::other_export other) {
    export_ended result;
    if (other.record.is_complete) {
      result.facts = other.record.facts;
      result.summary = summary_of(other.record);
    }
    result.other = std::make_shared<const store::other_export>(std::move(other));
    return result;
  }

  export_ended write(store::export_draft& draft) {
    std::uint64_t counted_rows = 0;
    std::uint64_t written_bytes = 0;
    store::history_output to;
    to.begun = [&](const store::history_snapshot& snapshot) {
      to_->note_begin(number_, snapshot);
      draft.note_snapshot(snapshot);
    };
    to.write = [&](std::string_view bytes, std::uint64_t rows) {
      with_->export_metrics->rows.add(rows - std::exchange(counted_rows, rows));
      written_bytes += bytes.size();
      to_->note_progress(number_, rows, written_bytes);
      return draft.append(bytes);
    };
    to.stop = [&] { return to_->closing() || with_->clock->now() >= deadline_ || !draft.is_own(); };
    const auto written = base::value_of(store::write_lobby_history(
        *base::value_of(with_->database->history()), *query_, *with_->clock, to));
    // The session above was returned first, because these may need one.
    require_game();
    export_ended result;
    result.summary = written;
    result.facts = {draft.export_id(), *query_,
                    with_->clock->unix_ms() + 2 * settings_->url_lifetime.count()};
    base::value_of(draft.publish(result.facts.keep_until_ts, written.has_running));
    with_->export_metrics->bytes.add(written.bytes);
    return result;
  }

  /// Data read of a game must not reappear once the game is erased.
  void require_game() const {
    if (base::value_of(base::value_of(with_->database->catalog())->is_erased(query_->game_id)))
      throw base::failure{model::no_such_game(query_->game_id)};
  }

  const services* with_;
  const export_job_settings* settings_;
  std::uint64_t number_;
  const model::export_query* query_;
  export_reports* to_;
  base::steady_time deadline_;
};

/// The signed part of the URL: everything after the public URL and before the signature, so that a
/// service can change its public URL.
std::string signed_part(const model::uuid& export_id, std::uint64_t expires_s) {
  return "/exports/" + model::to_string(export_id) +
         "/lobby-history.csv?expires=" + std::to_string(expires_s);
}

} // namespace

std::int64_t export_job_settings::link_end_s(const base::clock& by) const {
  return (by.unix_ms() + url_lifetime.count() + 999) / 1'000;
}

store::history_summary summary_of(const store::export_record& whole) {
  store::history_summary summary;
  if (whole.snapshot) summary.snapshot = *whole.snapshot;
  summary.bytes = whole.size_bytes;
  summary.has_running = whole.has_running;
  return summary;
}

base::error history_unreadable() {
  return {base::errc::store_failed, "The lobby history cannot be read now. Retry later.", true};
}

void run_export(const services& with, const export_job_settings& settings, std::uint64_t number,
                const model::export_query& query, export_reports& to) {
  auto took = work_time::begin();
  const base::faults::about_game about{query.game_id.bytes};
  auto outcome = job{with, settings, number, query, to}.run();
  outcome.job = number;
  took.end();
  outcome.took = took;
  const bool has_read = outcome.failure == nullptr && outcome.other == nullptr;
  to.note_end(std::move(outcome));
  if (to.closing() || !has_read) return;
  const auto tidied = with.database->upkeep().and_then([](const auto& upkeep) {
    return upkeep->backlog_bytes() < tidied_backlog_bytes ? true : upkeep->tidy();
  });
  if (!tidied)
    base::log(base::log_event::export_hampered, "export: {}", base::to_string(tidied.error()));
}

void export_reports::note_begin(std::uint64_t job, const store::history_snapshot& snapshot) {
  const std::lock_guard lock{mutex_};
  kept_[job].snapshot = snapshot;
  if (subscriber_) caf::anon_send(subscriber_, export_begun{job, snapshot});
}

void export_reports::note_progress(std::uint64_t job, std::uint64_t rows, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  auto& known = kept_[job];
  known.rows = rows;
  known.bytes = bytes;
}

void export_reports::note_end(export_ended end) {
  const std::lock_guard lock{mutex_};
  auto& kept = kept_[end.job].end;
  kept = std::make_shared<const export_ended>(std::move(end));
  if (subscriber_) caf::anon_send(subscriber_, *kept);
}

void export_reports::subscribe(caf::actor who) {
  const std::lock_guard lock{mutex_};
  subscriber_ = std::move(who);
  if (!subscriber_) return;
  for (const auto& [job, each] : kept_) {
    if (each.snapshot) caf::anon_send(subscriber_, export_begun{job, *each.snapshot});
    if (each.end) caf::anon_send(subscriber_, *each.end);
  }
}

export_reports::report export_reports::of(std::uint64_t job) const {
  const std::lock_guard lock{mutex_};
  const auto known = kept_.find(job);
  return known == kept_.end() ? report{} : known->second;
}

void export_reports::forget(std::uint64_t job) {
  const std::lock_guard lock{mutex_};
  kept_.erase(job);
}

std::string export_url(const std::string& public_url, const model::uuid& export_id,
                       std::uint64_t expires_s, const store::secret_versions& keys) {
  const auto part = signed_part(export_id, expires_s);
  return public_url + part + "&signature=" + base::sign(keys.front().secret, part);
}

bool is_export_url_signed(const model::uuid& export_id, std::uint64_t expires_s,
                          std::string_view signature, const store::secret_versions& keys,
                          std::int64_t now_ts) {
  const auto part = signed_part(export_id, expires_s);
  return std::ranges::any_of(keys, [&](const store::secret_version& each) {
    return each.is_accepted(now_ts) && base::is_signed(each.secret, part, signature);
  });
}

} // namespace matchcloud::actors
