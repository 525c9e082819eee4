#include "actors/export_download/export_download.hpp"

#include "actors/lobby_export/export_job.hpp"
#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::actors {

namespace {

constexpr std::size_t incompressible_limit = 1'024;

base::error forged() {
  return {base::errc::signature_invalid,
          "This URL was not signed by this service, or it was changed. Use the complete url from "
          "the response of export-history, unchanged."};
}

base::error expired() {
  return {base::errc::url_expired, "This URL has expired. Request a new one from export-history, "
                                   "which is cheap if nothing has changed."};
}

base::error too_many_downloads_waiting() {
  return {base::errc::overloaded, "Too many downloads are being opened. Retry later."};
}

/// Opens an export, unless its game is erased. `in` is null if games are never erased.
base::expected<store::opened_export_ptr> open_kept(store::export_store& files, store::database* in,
                                                   const model::uuid& export_id) {
  auto opened = files.open(export_id);
  if (!opened || in == nullptr) return opened;
  const auto erased = in->catalog().and_then(
      [&](const auto& of) { return of->is_erased((*opened)->facts.query.game_id); });
  // While the store cannot be reached, files are served as before.
  if (erased && *erased) return store::export_not_found();
  return opened;
}

} // namespace

export_download::export_download(caf::actor_config& cfg, const services& with,
                                 export_download_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::export_download_receive,
                        base::fault_point::export_download_reply}},
      with_{&with},
      settings_{settings} {}

caf::behavior export_download::make_behavior() {
  be_strict();
  do_housekeeping();
  return {
      serving<open_export>([this](const open_export& request) { handle(request); }),
      [this](const export_open_ended& ended) { on(ended); },
      [this](const export_compressed& ended) { on(ended); },
      [this](downloads_housekeeping) { do_housekeeping(); },
  };
}

void export_download::on_exit() {
  *ended_ = true;
  opening_.clear();
  compressions_.clear();
  queue_.clear();
}

// -- opening ------------------------------------------------------------------

void export_download::handle(const open_export& request) {
  download who{caf::actor_cast<caf::actor>(current_sender()), request.exchange, request.ticket,
               request.gzip};
  const auto now_ts = with_->clock->unix_ms();
  if (!is_export_url_signed(request.export_id, request.expires_s, request.signature,
                            *with_->signing_keys->current(), now_ts))
    return fail(who, forged());
  if (request.expires_s <= static_cast<std::uint64_t>(now_ts) / 1'000) return fail(who, expired());
  open(request.export_id, std::move(who));
}

void export_download::open(const model::uuid& export_id, download who) {
  if (waiting_count_ >= settings_.waiting_limit) return fail(who, too_many_downloads_waiting());
  const auto [line, first] = opening_.try_emplace(export_id);
  line->second.push_back(std::move(who));
  ++waiting_count_;
  if (!first) return;
  const auto taken = with_->short_work->submit(
      base::for_this_request([self = caf::actor_cast<caf::actor>(this), files = with_->exports,
                              database = with_->database, export_id] {
        export_open_ended ended{export_id, {}, {}, work_time::begin()};
        if (auto opened = open_kept(*files, database.get(), export_id))
          ended.file = *std::move(opened);
        else
          ended.failure = std::move(opened).error();
        ended.opened.end();
        caf::anon_send(self, std::move(ended));
      }));
  if (!taken) on(export_open_ended{export_id, {}, too_many_downloads_waiting(), {}});
}

void export_download::on(const export_open_ended& ended) {
  auto found = opening_.extract(ended.export_id);
  if (found.empty()) return;
  waiting_count_ -= found.mapped().size();
  if (!ended.file && base::is_local_failure(ended.failure.code)) {
    const base::about_request about{marks_of(found.mapped().front().ticket)};
    base::log(base::log_event::export_failed, "exports: {}", base::to_string(ended.failure));
  }
  for (const auto& who : found.mapped()) {
    note_work(who.ticket, "file", ended.opened);
    if (ended.file)
      answer(ended.file, who);
    else if (who.plain) // the export was removed during compression
      answer(who, who.plain);
    else
      fail(who, ended.failure);
  }
}

void export_download::answer(const store::opened_export_ptr& file, const download& who) {
  if (who.gzip && !file->gzip && may_compress(*file)) {
    compress(file);
    const auto under_way = compressions_.find(file->facts.export_id);
    if (under_way != compressions_.end() && file->csv->size_bytes() <= awaited_bytes &&
        waiting_count_ < settings_.waiting_limit) {
      under_way->second.waiters.push_back(who);
      ++waiting_count_;
      return;
    }
  }
  answer(who, file);
}

void export_download::answer(const download& who, const store::opened_export_ptr& file) {
  const auto own = with_->exports->for_reader(file);
  if (!own) return fail(who, own.error());
  reply(who.front, export_opened{who.exchange, *own}, who.ticket);
}

void export_download::fail(const download& who, const base::error& why) {
  reply(who.front, operation_failed{who.exchange, why}, who.ticket);
}

// -- compressing --------------------------------------------------------------

bool export_download::may_compress(const store::opened_export& file) const {
  if (!file.csv || file.csv->size_bytes() < least_compressed_bytes) return false;
  const auto failed = incompressible_.find(file.facts.export_id);
  return failed == incompressible_.end() ||
         with_->clock->now() - failed->second >= compression_pause;
}

void export_download::compress(const store::opened_export_ptr& file) {
  const auto& export_id = file->facts.export_id;
  if (compressions_.contains(export_id) || queue_.size() >= compression_queue_limit) return;
  compressions_.emplace(export_id, compression{file, with_->clock->now(), {}});
  queue_.push_back(export_id);
  start_compression();
}

void export_download::start_compression() {
  while (!compressing_ && !queue_.empty()) {
    const auto export_id = queue_.front();
    queue_.pop_front();
    compressing_ = with_->long_work->submit([self = caf::actor_cast<caf::actor>(this),
                                             files = with_->exports, ended = ended_, export_id] {
      const auto made = files->compress(export_id, [&] { return ended->load(); });
      if (!made && made.error().code != base::errc::cancelled)
        base::log(base::log_event::export_hampered, "exports: {}", base::to_string(made.error()));
      caf::anon_send(self, export_compressed{export_id, made.has_value()});
    });
    if (!compressing_) on(export_compressed{export_id, false});
  }
}

void export_download::on(const export_compressed& ended) {
  compressing_ = false;
  if (ended.done) {
    with_->export_metrics->compressed.add();
    incompressible_.erase(ended.export_id);
  } else {
    if (incompressible_.size() >= incompressible_limit) incompressible_.clear();
    incompressible_[ended.export_id] = with_->clock->now();
  }
  const auto found = compressions_.extract(ended.export_id);
  if (!found.empty()) {
    auto& [plain, request, waiters] = found.mapped();
    waiting_count_ -= waiters.size();
    for (auto& who : waiters) {
      who.plain = plain;
      open(ended.export_id, std::move(who));
    }
  }
  start_compression();
}

void export_download::do_housekeeping() {
  delayed_send(this, settings_.tick, downloads_housekeeping{});
  const auto now = with_->clock->now();
  for (auto& [export_id, under_way] : compressions_) {
    if (now - under_way.asked_at < compression_patience) continue;
    for (const auto& who : std::exchange(under_way.waiters, {})) {
      --waiting_count_;
      answer(who, under_way.plain);
    }
  }
  // If the pool is full, refreshing the keys at the next tick is soon enough.
  static_cast<void>(with_->store_work->submit([keys = with_->signing_keys] { keys->refresh(); }));
}

} // namespace matchcloud::actors
