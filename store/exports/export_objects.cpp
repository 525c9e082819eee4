#include "store/exports/export_objects.hpp"

#include "base/crypto/sha256.hpp"
#include "base/events/log.hpp"
#include "base/hexadecimal.hpp"
#include "store/files/gzip.hpp"
#include "store/objects/object_file.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace matchcloud::store {

namespace {

/// Expired exports that one sweep removes; the next sweep continues.
constexpr std::size_t removals_limit = 1'000;
/// How many exports are remembered.
constexpr std::size_t known_limit = 16'384;

base::failure failed(const export_record& of, std::string_view why) {
  return {base::errc::store_failed, "{}: {}", object_of(of).text(), why};
}

/// Takes a step that need not succeed: a failure is only logged.
void try_to(const std::function<void()>& step) {
  if (const auto done = base::attempt(step); !done)
    base::log(base::log_event::export_hampered, "exports: {}", base::to_string(done.error()));
}

} // namespace

struct export_objects::opened_object : opened_export {
  explicit opened_object(const export_record& of) : opened_export{of.facts}, record{of} {}

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
      const bool is_own = of_->renew(record);
      lock.lock();
      is_own_ = is_own;
      if (!is_own) ++of_->leases_lost_;
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

/// An export that is being written. Its bytes are taken from the ledger as they are appended, and
/// returned unless it is published.
class export_objects::draft final : public export_draft {
public:
  draft(export_objects& to, export_record record, std::unique_ptr<object_upload> upload)
      : export_draft{record.facts.export_id},
        to_{&to},
        record_{std::move(record)},
        taken_{to.ledger_, record_.facts.query.game_id},
        upload_{std::move(upload)},
        renewed_{to.settings_.clock->now()} {
    {
      const std::lock_guard lock{to.mutex_};
      to.writing_.insert(record_.facts.export_id);
    }
    // Files never keep the writing thread for long, so it renews the lease itself. It also does if
    // there can be no more threads.
    if (to.settings_.objects->is_local()) return;
    try {
      renewal_.emplace(to, record_);
    } catch (const std::system_error& error) {
      base::log(base::log_event::export_hampered, "exports: no thread: {}", error.what());
    }
  }

  ~draft() override {
    renewal_.reset();
    if (upload_) {
      upload_.reset();
      to_->forget(record_);
    }
    const std::lock_guard lock{to_->mutex_};
    to_->writing_.erase(record_.facts.export_id);
  }

  void note_snapshot(const history_snapshot& snapshot) override {
    record_.snapshot = snapshot;
    if (renewal_)
      renewal_->note(snapshot);
    else
      renew();
  }
  bool is_own() override {
    if (renewal_) return renewal_->is_own();
    const auto& settings = to_->settings_;
    if (upload_ && is_own_ && settings.clock->now() - renewed_ >= settings.renewal_interval)
      renew();
    return is_own_;
  }
  bool ask_own() override { return is_own() && to_->renew(record_); }

  base::expected<void> append(std::string_view bytes) override {
    if (!is_whole_) return exports_full();
    is_own();
    digest_.add(bytes);
    auto written = taken_.take(bytes.size()).and_then([&] { return upload_->append(bytes); });
    is_whole_ = written.has_value();
    return written;
  }

  base::expected<void> publish(std::int64_t keep_until_ts, bool has_running) override {
    return base::attempt([&] {
      if (!std::exchange(is_whole_, false)) throw failed(record_, "it was not completely written");
      if (base::value_of(upload_->complete()) == object_outcome::was_there)
        throw failed(record_, "the name of a new export was already taken");
      // From here on, a failure leaves the object and its record to a sweep: the record may have
      // been completed although the call failed.
      upload_.reset();
      renewal_.reset();
      record_.facts.keep_until_ts = keep_until_ts;
      record_.size_bytes = taken_.bytes();
      record_.sha256 = base::hexadecimal(digest_.digest());
      record_.has_running = has_running;
      record_.is_complete = true;
      is_own_ = to_->ask(&export_records::complete_export, record_);
      if (!is_own_) {
        // No other process has this generation. If the removal fails, a sweep removes the object.
        static_cast<void>(to_->settings_.objects->remove(object_of(record_)));
        throw failed(record_, "another process has taken the export over");
      }
      to_->ledger_.add_finished(record_.facts.query.game_id, {1, taken_.keep()});
      const std::lock_guard lock{to_->mutex_};
      to_->known_.put(record_.facts.export_id, record_, 1);
    });
  }

private:
  void renew() {
    renewed_ = to_->settings_.clock->now();
    is_own_ = to_->renew(record_);
    if (!is_own_) ++to_->leases_lost_;
  }

  export_objects* to_;
  export_record record_;
  taken_bytes taken_;
  /// Whether everything appended has been written.
  bool is_whole_ = true;
  /// Null after the end.
  std::unique_ptr<object_upload> upload_;
  base::sha256_stream digest_;
  /// Null after the upload, and for a file.
  std::optional<renewal> renewal_;
  /// When the lease of a file was last renewed.
  base::steady_time renewed_;
  bool is_own_ = true;
};

export_objects::export_objects(export_objects_settings settings)
    : settings_{std::move(settings)},
      ledger_{{settings_.limit_bytes, settings_.game_share_percent}},
      known_{known_limit} {}

// -- writing ------------------------------------------------------------------

base::expected<begun_export> export_objects::begin(const export_request& request) {
  return base::attempt([&]() -> begun_export {
    base::value_of(ledger_.check_another(request.query.game_id));
    const std::lock_guard alone{claiming_};
    auto claimed = claim(request);
    auto& record = claimed.record;
    if (!claimed.is_own) return other_export{std::move(record), claimed.revisions};
    auto upload = settings_.objects->begin_upload(object_of(record), std::string{export_csv_type});
    if (!upload) forget(record);
    auto begun = base::value_of(std::move(upload));
    if (record.generation > 1)
      base::log(base::log_event::export_taken_over,
                "exports: {} is taken over from a process that stopped writing it",
                object_of(record).text());
    return std::make_unique<draft>(*this, std::move(record), std::move(begun));
  });
}

export_claimed export_objects::claim(const export_request& request) {
  const export_claim claim{request.query,     request.export_id,          settings_.owner,
                           export_lease_time, settings_.clock->unix_ms(), request.linked_until_ts};
  const auto is_useless = [this](const export_claimed& claimed) {
    const auto& record = claimed.record;
    return !claimed.is_own && (record.is_complete ? !is_there(record) : is_left(record));
  };
  auto claimed = ask(&export_records::claim_export, claim);
  for (std::size_t i = 0; i < records_of_query_limit && is_useless(claimed); ++i)
    claimed = ask(&export_records::claim_export, claim);
  return claimed;
}

bool export_objects::is_there(const export_record& whole) {
  const auto found = settings_.objects->stat(object_of(whole));
  if (!found || *found) return true;
  base::log(base::log_event::export_gone, "exports: {} is missing; it is written again",
            object_of(whole).text());
  forget(whole);
  return false;
}

bool export_objects::is_left(const export_record& begun) {
  if (begun.owner != settings_.owner) return false;
  {
    const std::lock_guard lock{mutex_};
    if (writing_.contains(begun.facts.export_id)) return false;
  }
  discard(begun);
  return true;
}

void export_objects::forget(const export_record& record) {
  try_to([&] { ask(&export_records::forget_export, record); });
}

bool export_objects::renew(const export_record& record) {
  // If this fails, a later renewal shows whether another process has taken over.
  bool is_own = true;
  try_to([&] { is_own = ask(&export_records::renew_export, record, export_lease_time); });
  return is_own;
}

// -- reading ------------------------------------------------------------------

base::expected<std::optional<export_record>> export_objects::find(const model::export_query& query,
                                                                  std::int64_t linked_until_ts) {
  return base::attempt([&]() -> std::optional<export_record> {
    const auto known = ask(&export_records::exports_of, query);
    if (const auto* whole = known.find_whole(linked_until_ts); whole && is_there(*whole))
      return *whole;
    const auto* running = known.find_running();
    return running && running->owner != settings_.owner ? std::optional{*running} : std::nullopt;
  });
}

base::expected<std::optional<export_record>> export_objects::follow(const export_record& record) {
  return base::attempt([&]() -> std::optional<export_record> {
    const auto known = ask(&export_records::exports_of, record.facts.query);
    for (const auto& each : known.records)
      if (each.facts.export_id == record.facts.export_id &&
          (each.is_complete || each.leased_until_ts > known.now_ts))
        return each;
    return std::nullopt;
  });
}

base::expected<std::optional<export_record>>
export_objects::find_record(const model::uuid& export_id) {
  return base::attempt([&] { return ask(&export_records::find_export, export_id); });
}

bool export_objects::has(const model::uuid& export_id) {
  const auto found = find_record(export_id);
  return !found || found->has_value();
}

export_record export_objects::record_of(const model::uuid& export_id) {
  auto found = find_record(export_id);
  const std::lock_guard lock{mutex_};
  if (!found) {
    if (const auto* known = known_.get(export_id)) return *known;
    throw base::failure{std::move(found).error()};
  }
  known_.erase(export_id);
  if (!*found) throw base::failure{export_not_found().value()};
  known_.put(export_id, **found, 1);
  return **std::move(found);
}

base::expected<opened_export_ptr> export_objects::open(const model::uuid& export_id) {
  return base::attempt([&]() -> opened_export_ptr { return open_record(record_of(export_id)); });
}

export_objects::opened_ptr export_objects::open_record(const export_record& record) {
  if (settings_.objects->is_local()) return open_files(record);
  auto opened = std::make_shared<opened_object>(record);
  if (settings_.delivery == objects_delivery::redirect) {
    object_link what;
    what.content_type = export_csv_type;
    what.disposition = export_disposition(record.facts.query);
    opened->elsewhere =
        base::value_of(link_for_downloads(*settings_.objects, object_of(record), std::move(what)));
  }
  return opened;
}

export_objects::opened_ptr export_objects::open_files(const export_record& record) {
  auto opened = base::attempt([&] {
    const std::lock_guard lock{mutex_};
    return share_files(record);
  });
  if (opened || opened.error().code != base::errc::store_failed)
    return base::value_of(std::move(opened));
  // Unless it was removed in the meantime.
  if (has(record.facts.export_id)) {
    base::log(base::log_event::export_damaged, "exports: {}; it is removed",
              base::to_string(opened.error()));
    discard(record);
  }
  throw base::failure{export_not_found().value()};
}

export_objects::opened_ptr export_objects::share_files(const export_record& record) {
  auto opened = std::make_shared<opened_object>(record);
  const auto& export_id = record.facts.export_id;
  if (const auto known = open_.find(export_id); known != open_.end()) {
    opened->csv = known->second.csv.lock();
    opened->gzip = known->second.gzip.lock();
  } else if (!make_room()) {
    throw base::failure{too_many_exports_open().value()};
  }
  const auto open = [&](const object_name& name) {
    return base::value_of(settings_.objects->open_local(name));
  };
  if (!opened->csv) opened->csv = open(object_of(record));
  if (!opened->gzip) opened->gzip = open(gzip_of(record));
  if (!opened->csv) throw failed(record, "the file is missing");
  if (const auto bytes = opened->csv->size_bytes(); bytes != record.size_bytes)
    throw failed(record,
                 fmt::format("the file has {} bytes instead of {}", bytes, record.size_bytes));
  open_[export_id] = {opened->csv, opened->gzip};
  return opened;
}

bool export_objects::make_room() {
  if (open_.size() >= settings_.open_limit)
    std::erase_if(open_, [](const auto& entry) {
      return entry.second.csv.expired() && entry.second.gzip.expired();
    });
  return open_.size() < settings_.open_limit;
}

base::expected<opened_export_ptr> export_objects::for_reader(const opened_export_ptr& opened) {
  if (opened->csv || settings_.delivery == objects_delivery::redirect) return opened;
  const auto& record = static_cast<const opened_object&>(*opened).record;
  return object_file::open(settings_.objects, object_of(record), record.size_bytes, record.sha256,
                           *settings_.budget)
      .map([&](auto file) -> opened_export_ptr {
        return std::make_shared<const opened_export>(opened_export{record.facts, std::move(file)});
      });
}

// -- compressing ----------------------------------------------------------------

base::expected<void> export_objects::compress(const model::uuid& export_id,
                                              const std::function<bool()>& stop) {
  return base::attempt([&] {
    auto& objects = *settings_.objects;
    if (!objects.is_local()) return;
    const auto opened = open_record(record_of(export_id));
    if (opened->gzip) return;
    const auto& record = opened->record;
    const auto& game_id = record.facts.query.game_id;
    const auto upload = base::value_of(objects.begin_upload(gzip_of(record), "application/gzip"));
    taken_bytes taken{ledger_, game_id};
    const auto write = [&](std::string_view bytes) {
      base::value_of(taken.take(bytes.size()));
      base::value_of(upload->append(bytes));
    };
    gzip(*opened->csv, {write, stop});
    const auto outcome = base::value_of(upload->complete());
    // A removal takes the CSV away before it looks for this file.
    const auto found = objects.stat(object_of(record));
    if (found && !*found) {
      static_cast<void>(objects.remove(gzip_of(record)));
      throw base::failure{export_not_found().value()};
    }
    if (outcome == object_outcome::stored) ledger_.add_finished(game_id, {0, taken.keep()});
  });
}

std::uint64_t export_objects::gzip_bytes_of(const export_record& record) {
  if (!settings_.objects->is_local()) return 0;
  const auto found = settings_.objects->stat(gzip_of(record));
  return found && *found ? (*found)->size_bytes : 0;
}

// -- removing -----------------------------------------------------------------

void export_objects::remove(const model::uuid& export_id) {
  try_to([&] {
    if (const auto record = ask(&export_records::find_export, export_id)) remove(*record);
  });
}

void export_objects::discard(const export_record& record) {
  try_to([&] { remove(record); });
}

base::expected<std::size_t> export_objects::erase(const model::uuid& game_id) {
  return base::attempt([&] {
    for (std::size_t gone = 0;;) {
      const auto found = ask(&export_records::exports_of_game, game_id, removals_limit);
      for (const auto& each : found)
        remove(each);
      gone += found.size();
      if (found.size() < removals_limit) return gone;
    }
  });
}

void export_objects::remove(const export_record& record) {
  // The object first: without its record nobody would find it.
  base::value_of(settings_.objects->remove(object_of(record)));
  const auto gzip_bytes = gzip_bytes_of(record);
  if (gzip_bytes > 0) base::value_of(settings_.objects->remove(gzip_of(record)));
  {
    const std::lock_guard lock{mutex_};
    open_.erase(record.facts.export_id);
    known_.erase(record.facts.export_id);
  }
  ask(&export_records::forget_export, record);
  if (record.is_complete)
    ledger_.remove_finished(record.facts.query.game_id, record.size_bytes + gzip_bytes);
}

export_usages export_objects::count() {
  if (!settings_.objects->is_local()) return ask(&export_records::export_usage_now);
  export_usages usages;
  ask(&export_records::read_exports, [&](const export_record& each) {
    if (!each.is_complete) return true;
    auto& of_game = usages[each.facts.query.game_id];
    ++of_game.count;
    of_game.bytes += each.size_bytes + gzip_bytes_of(each);
    return true;
  });
  return usages;
}

base::expected<void> export_objects::sweep(std::int64_t now_ts) {
  return base::attempt([&] {
    auto removed = base::attempt([&] { remove_over(now_ts); });
    ledger_.recount(count());
    const auto now = settings_.clock->now();
    auto due = next_collection_.load();
    if (now >= due && next_collection_.compare_exchange_strong(due, now + leftovers_interval))
      collect_leftovers(now_ts);
    base::value_of(std::move(removed));
  });
}

void export_objects::remove_over(std::int64_t now_ts) {
  const std::chrono::milliseconds patience = settings_.timeout + given_up_after;
  const auto begun_before_ts = now_ts - patience.count();
  base::expected<void> done;
  for (const auto& each :
       ask(&export_records::exports_over, now_ts, begun_before_ts, removals_limit))
    if (auto removed = base::attempt([&] { remove(each); }); !removed) done = std::move(removed);
  base::value_of(std::move(done));
}

void export_objects::collect_leftovers(std::int64_t now_ts) {
  auto& objects = *settings_.objects;
  const auto before_ts = now_ts - std::chrono::milliseconds{leftovers_age}.count();
  std::set<object_name> left;
  base::value_of(
      objects.list(exports_folder(), [&](const object_name& name, const object_facts& facts) {
        if (facts.stored_ts < before_ts && read_export_name(name)) left.insert(name);
        return true;
      }));
  // Read after the listing: an object has its record before it is stored.
  if (!left.empty())
    ask(&export_records::read_exports, [&](const export_record& each) {
      left.erase(object_of(each));
      left.erase(gzip_of(each));
      return true;
    });
  for (const auto& name : left)
    base::value_of(objects.remove(name));
  const auto uploads = base::value_of(objects.collect_leftovers(leftovers_age));
  if (left.size() + uploads > 0)
    base::log(base::log_event::export_swept,
              "exports: {} objects without a record and {} unfinished uploads were removed",
              left.size(), uploads);
}

} // namespace matchcloud::store
