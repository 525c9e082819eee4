#include "actors/export_job.hpp"

#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>

namespace matchcloud::actors {

namespace {

/// The error that clients get if the store or the new file fails; clients need not tell them apart.
base::error export_impossible() {
  return {base::errc::store_failed,
          "The export cannot be made now. The log of the service tells its operator why. Try again "
          "later.",
          true};
}

/// Converts an error for clients: paths and SQL are only for the operator's log.
base::error for_clients(const base::error& why, const model::export_query& query) {
  if (!base::is_local_failure(why.code)) return why;
  spdlog::error("export of game {}: {}", model::to_string(query.game_id), base::to_string(why));
  if (why.code == base::errc::store_full)
    return {base::errc::store_full,
            "The disk of the service is full, so the export was given up. Its operator has to make "
            "room.",
            true};
  return export_impossible();
}

base::error took_too_long(std::chrono::milliseconds timeout) {
  return {base::errc::deadline_exceeded, "The export took longer than " +
                                             std::to_string(timeout.count()) +
                                             " ms. Ask for a shorter span, several for the whole."};
}

class job {
public:
  job(const export_job_settings& settings, const model::export_query& query,
      const std::atomic<bool>& ended)
      : settings_{&settings},
        query_{&query},
        ended_{&ended},
        deadline_{settings.clock->now() + settings.timeout} {}

  export_ended run(const std::function<void(const store::history_snapshot&)>& begun) {
    export_ended result;
    const auto id = settings_->new_id();
    auto draft = settings_->files->begin(id, *query_);
    auto summary = draft.and_then([&](const auto& to) { return write(*to, begun); });
    auto published = summary.and_then([&](const store::history_summary& written) {
      result.summary = written;
      result.facts = {id, *query_,
                      settings_->clock->unix_ms() + 2 * settings_->url_lifetime.count()};
      return (*draft)->publish(result.facts.keep_until_ts);
    });
    if (published) {
      settings_->metrics->bytes.add(result.summary.bytes);
      return result;
    }
    auto why = std::move(published).error();
    if (why.code == base::errc::cancelled && !*ended_) why = took_too_long(settings_->timeout);
    result.failure = std::make_shared<const base::error>(for_clients(why, *query_));
    return result;
  }

private:
  base::expected<store::history_summary>
  write(store::export_draft& draft,
        const std::function<void(const store::history_snapshot&)>& begun) {
    std::uint64_t counted_rows = 0;
    store::history_output to;
    to.begun = begun;
    to.write = [&](std::string_view bytes, std::uint64_t rows) {
      settings_->metrics->rows.add(rows - std::exchange(counted_rows, rows));
      return draft.append(bytes);
    };
    to.stop = [this] { return *ended_ || settings_->clock->now() >= deadline_; };
    return settings_->database->history().and_then([&](const auto& from) {
      return store::write_lobby_history(*from, *query_, *settings_->clock, to);
    });
  }

  const export_job_settings* settings_;
  const model::export_query* query_;
  const std::atomic<bool>* ended_;
  base::steady_time deadline_;
};

} // namespace

base::error history_unreadable() {
  return {base::errc::store_failed, "The lobby history cannot be read now. Try again later.", true};
}

void run_export(const export_job_settings& settings, const model::export_query& query,
                const std::atomic<bool>& ended,
                const std::function<void(const store::history_snapshot&)>& begun,
                const std::function<void(export_ended)>& done) {
  auto outcome = job{settings, query, ended}.run(begun);
  const bool is_whole = outcome.failure == nullptr;
  done(std::move(outcome));
  if (ended || !is_whole) return;
  const auto tidied = settings.database->upkeep().and_then([](const auto& upkeep) {
    return upkeep->backlog_bytes() < tidied_backlog_bytes ? true : upkeep->tidy();
  });
  if (!tidied) spdlog::warn("export: {}", base::to_string(tidied.error()));
}

} // namespace matchcloud::actors
