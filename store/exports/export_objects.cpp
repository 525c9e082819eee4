#include "store/exports/export_objects.hpp"

#include "base/crypto/sha256.hpp"
#include "base/events/log.hpp"
#include "base/hexadecimal.hpp"
#include "store/exports/counted_draft.hpp"
#include "store/objects/object_file.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// Expired exports that one sweep removes; the next sweep continues.
constexpr std::size_t removals_limit = 1'000;

} // namespace

/// An export that the service passes on, before its reader is known.
struct export_objects::opened_object : opened_export {
  export_record record;
};

/// Renews an export's lease regularly on its own thread, because the writing thread may wait long
/// for the bucket.
class export_objects::renewal {
public:
  renewal(export_objects& of, export_record record) : of_{&of}, record_{std::move(record)} {}

  /// False once another process has taken the export over, or a sweep has removed it.
  bool is_own() const noexcept { return is_own_; }
  void note(const history_snapshot& snapshot) {
    const std::lock_guard lock{mutex_};
    record_.snapshot = snapshot;
    has_news_ = true;
    wake_.notify_one();
  }

private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (is_own_) {
      wake_.wait_for(lock, stop, of_->settings_.renewal_interval, [this] { return has_news_; });
      if (stop.stop_requested()) return;
      has_news_ = false;
      const auto record = record_;
      lock.unlock();
      const auto renewed = of_->renew(record);
      lock.lock();
      // If a renewal fails, a later one shows whether another process has taken over.
      if (renewed) {
        is_own_ = *renewed;
        if (!*renewed) ++of_->leases_lost_;
      } else {
        base::log(base::log_event::export_hampered, "exports: {}",
                  base::to_string(renewed.error()));
      }
    }
  }

  export_objects* of_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  export_record record_;
  bool has_news_ = false;
  std::atomic<bool> is_own_{true};
  /// Ends first.
  std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

/// An export that is being uploaded.
class export_objects::draft final : public counted_draft {
public:
  draft(export_objects& to, export_record record, std::unique_ptr<object_upload> upload)
      : counted_draft{record.facts, to.ledger_},
        to_{&to},
        record_{std::move(record)},
        upload_{std::move(upload)},
        renewal_{std::in_place, to, record_} {}

  ~draft() override {
    renewal_.reset();
    if (!upload_) return;
    upload_.reset();
    to_->forget(record_);
  }

  void note_snapshot(const history_snapshot& snapshot) override {
    record_.snapshot = snapshot;
    renewal_->note(snapshot);
  }
  bool is_own() const noexcept override { return renewal_ ? renewal_->is_own() : is_own_; }
  bool ask_own() override { return is_own() && to_->renew(record_).value_or(true); }

private:
  base::expected<void> write(std::string_view bytes) override {
    digest_.add(bytes);
    return upload_->append(bytes);
  }

  base::expected<void> publish_whole(std::int64_t keep_until_ts, bool has_running) override {
    const auto outcome = upload_->complete();
    if (!outcome) return tl::unexpected(outcome.error());
    if (*outcome == object_outcome::was_there)
      return failed("the name of a new export was already taken");
    // From here on, a failure leaves the object and its record to a sweep: the record may have been
    // completed although the call failed.
    upload_.reset();
    renewal_.reset();
    record_.facts.keep_until_ts = keep_until_ts;
    record_.size_bytes = taken().bytes();
    record_.sha256 = base::hexadecimal(digest_.digest());
    record_.has_running = has_running;
    record_.is_complete = true;
    const auto completed = to_->ask(&export_records::complete_export, record_);
    if (!completed) return tl::unexpected(completed.error());
    is_own_ = *completed;
    if (is_own_) {
      to_->ledger_.add_finished(record_.facts.query.game_id, taken().keep());
      return {};
    }
    // No other process has this generation. If the removal fails, a sweep removes the object.
    static_cast<void>(to_->settings_.objects->remove(object_of(record_)));
    return failed("another process has taken the export over");
  }

  tl::unexpected<base::error> failed(std::string_view why) const {
    return base::fail(base::errc::store_failed,
                      object_of(record_).text() + ": " + std::string{why});
  }

  export_objects* to_;
  export_record record_;
  /// Null after the end.
  std::unique_ptr<object_upload> upload_;
  base::sha256_stream digest_;
  /// Null after the upload.
  std::optional<renewal> renewal_;
  /// Known after the upload.
  bool is_own_ = true;
};

export_objects::export_objects(export_objects_settings settings)
    : settings_{std::move(settings)},
      ledger_{{settings_.limit_bytes, settings_.game_share_percent}} {}

// -- writing ------------------------------------------------------------------

base::expected<begun_export> export_objects::begin(const export_request& request) {
  if (auto room = ledger_.check_another(request.query.game_id); !room)
    return tl::unexpected(std::move(room).error());
  auto claimed = claim(request);
  if (!claimed) return tl::unexpected(claimed.error());
  if (!claimed->is_own) return other_export{std::move(claimed->record), claimed->revisions};
  auto& record = claimed->record;
  auto upload = settings_.objects->begin_upload(object_of(record), std::string{export_csv_type});
  if (!upload) {
    forget(record);
    return tl::unexpected(upload.error());
  }
  if (record.generation > 1)
    base::log(base::log_event::export_taken_over,
              "exports: {} is taken over from a process that stopped writing it",
              object_of(record).text());
  return std::make_unique<draft>(*this, std::move(record), *std::move(upload));
}

base::expected<export_claimed> export_objects::claim(const export_request& request) {
  const export_claim claim{request.query,     request.export_id,          settings_.owner,
                           export_lease_time, settings_.clock->unix_ms(), request.linked_until_ts};
  const auto is_useless = [this](const base::expected<export_claimed>& claimed) {
    return claimed && !claimed->is_own && claimed->record.is_complete && !is_there(claimed->record);
  };
  auto claimed = ask(&export_records::claim_export, claim);
  for (std::size_t i = 0; i < records_of_query_limit && is_useless(claimed); ++i)
    claimed = ask(&export_records::claim_export, claim);
  return claimed;
}

bool export_objects::is_there(const export_record& whole) {
  const auto found = settings_.objects->stat(object_of(whole));
  if (!found || *found) return true;
  base::log(base::log_event::export_gone,
            "exports: {} is missing in the bucket; it is written again", object_of(whole).text());
  forget(whole);
  return false;
}

void export_objects::forget(const export_record& record) {
  const auto forgotten = ask(&export_records::forget_export, record);
  if (!forgotten)
    base::log(base::log_event::export_hampered, "exports: {}", base::to_string(forgotten.error()));
}

base::expected<bool> export_objects::renew(const export_record& record) {
  return ask(&export_records::renew_export, record, export_lease_time);
}

// -- reading ------------------------------------------------------------------

base::expected<std::optional<export_record>> export_objects::find(const model::export_query& query,
                                                                  std::int64_t linked_until_ts) {
  const auto known = ask(&export_records::exports_of, query);
  if (!known) return tl::unexpected(known.error());
  if (const auto* whole = known->find_whole(linked_until_ts); whole && is_there(*whole))
    return *whole;
  const auto* running = known->find_running();
  return running && running->owner != settings_.owner ? std::optional{*running} : std::nullopt;
}

base::expected<std::optional<export_record>> export_objects::follow(const export_record& record) {
  const auto known = ask(&export_records::exports_of, record.facts.query);
  if (!known) return tl::unexpected(known.error());
  for (const auto& each : known->records)
    if (each.facts.export_id == record.facts.export_id &&
        (each.is_complete || each.leased_until_ts > known->now_ts))
      return each;
  return std::nullopt;
}

bool export_objects::has(const model::uuid& export_id) {
  const auto found = ask(&export_records::find_export, export_id);
  return !found || found->has_value();
}

base::expected<opened_export_ptr> export_objects::open(const model::uuid& export_id) {
  const auto found = ask(&export_records::find_export, export_id);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return export_not_found();
  const auto& record = **found;
  auto opened = std::make_shared<opened_object>();
  opened->facts = record.facts;
  opened->record = record;
  if (settings_.delivery == objects_delivery::redirect) {
    object_link what;
    what.content_type = export_csv_type;
    what.disposition = export_disposition(record.facts.query);
    auto links = link_for_downloads(*settings_.objects, object_of(record), std::move(what));
    if (!links) return tl::unexpected(links.error());
    opened->elsewhere = *std::move(links);
  }
  return opened;
}

base::expected<opened_export_ptr> export_objects::for_reader(const opened_export_ptr& opened) {
  if (settings_.delivery == objects_delivery::redirect) return opened;
  const auto& record = static_cast<const opened_object&>(*opened).record;
  auto file = object_file::open(settings_.objects, object_of(record), record.size_bytes,
                                record.sha256, *settings_.budget);
  if (!file) return tl::unexpected(file.error());
  return std::make_shared<const opened_export>(opened_export{record.facts, *std::move(file)});
}

// -- removing -----------------------------------------------------------------

void export_objects::remove(const model::uuid& export_id) {
  const auto found = ask(&export_records::find_export, export_id);
  if (found && !*found) return;
  const auto removed = found ? remove(**found) : tl::unexpected(found.error());
  // A sweep tries again when the export has expired.
  if (!removed)
    base::log(base::log_event::export_hampered, "exports: {}", base::to_string(removed.error()));
}

base::expected<std::size_t> export_objects::erase(const model::uuid& game_id) {
  std::size_t gone = 0;
  while (true) {
    const auto found = ask(&export_records::exports_of_game, game_id, removals_limit);
    if (!found) return tl::unexpected(found.error());
    for (const auto& each : *found)
      if (auto removed = remove(each); !removed) return tl::unexpected(removed.error());
    gone += found->size();
    if (found->size() < removals_limit) return gone;
  }
}

base::expected<void> export_objects::remove(const export_record& record) {
  // The object first: without its record nobody would find it.
  auto removed = settings_.objects->remove(object_of(record));
  if (!removed) return removed;
  removed = ask(&export_records::forget_export, record);
  if (removed && record.is_complete)
    ledger_.remove_finished(record.facts.query.game_id, record.size_bytes);
  return removed;
}

base::expected<void> export_objects::sweep(std::int64_t now_ts) {
  if (auto done = remove_over(now_ts); !done) return done;
  auto counted = ask(&export_records::export_usage_now);
  if (!counted) return tl::unexpected(std::move(counted).error());
  ledger_.recount(*std::move(counted));
  const auto now = settings_.clock->now();
  auto due = next_collection_.load();
  if (now < due || !next_collection_.compare_exchange_strong(due, now + leftovers_interval))
    return {};
  return collect_leftovers(now_ts);
}

base::expected<void> export_objects::remove_over(std::int64_t now_ts) {
  const std::chrono::milliseconds patience = settings_.timeout + given_up_after;
  const auto begun_before_ts = now_ts - patience.count();
  const auto over = ask(&export_records::exports_over, now_ts, begun_before_ts, removals_limit);
  if (!over) return tl::unexpected(over.error());
  base::expected<void> done;
  for (const auto& each : *over)
    if (auto removed = remove(each); !removed) done = std::move(removed);
  return done;
}

base::expected<void> export_objects::collect_leftovers(std::int64_t now_ts) {
  const auto before_ts = now_ts - std::chrono::milliseconds{leftovers_age}.count();
  std::set<object_name> left;
  auto done = settings_.objects->list(exports_folder(),
                                      [&](const object_name& name, const object_facts& facts) {
                                        if (facts.stored_ts < before_ts && read_export_name(name))
                                          left.insert(name);
                                        return true;
                                      });
  // Read after the listing: an object has its record before it is stored.
  if (done && !left.empty())
    done = ask(&export_records::read_exports, [&](const export_record& each) {
      left.erase(object_of(each));
      return true;
    });
  if (!done) return done;
  for (const auto& name : left)
    if (done = settings_.objects->remove(name); !done) return done;
  const auto uploads = settings_.objects->collect_leftovers(leftovers_age);
  if (!uploads) return tl::unexpected(uploads.error());
  if (left.size() + *uploads > 0)
    base::log(base::log_event::export_swept,
              "exports: {} objects without a record and {} unfinished uploads were removed",
              left.size(), *uploads);
  return {};
}

} // namespace matchcloud::store
