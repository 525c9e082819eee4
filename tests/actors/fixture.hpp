#pragma once

#include "actors/protocol.hpp"
#include "actors/resident.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "model/catalog.hpp"
#include "store/geoip.hpp"
#include "store/store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What tests with actors share: an actor system that runs when told, a clock that stands still,
/// and the outside world (store, pool, GeoIP) under the test's hand.
namespace matchcloud::fixtures {

inline model::uuid id_of(std::uint8_t last_byte) {
  model::uuid id;
  id.bytes[15] = last_byte;
  return id;
}

/// Two regions, a game 1 with a namespace 11 of all regions and a namespace 12 of Tokyo alone.
inline std::shared_ptr<model::catalog> two_regions() {
  auto made = std::make_shared<model::catalog>();
  made->revision = 1;
  made->regions = {{"fra", "Frankfurt", "Cloud", {50, 8}}, {"nrt", "Tokyo", "Cloud", {35, 139}}};
  made->games = {{id_of(1), "Game"}};
  made->namespaces = {
      {id_of(11), id_of(1), "prod", {"game.example"}, std::nullopt},
      {id_of(12), id_of(1), "tokyo", {"tokyo.example"}, std::vector<std::string>{"nrt"}}};
  made->index_domains();
  return made;
}

/// An actor system on one thread whose actors run when the test says so.
class deterministic_system {
  struct config : caf::actor_system_config {
    config() { set("scheduler.policy", caf::atom("testing")); }
  };

  config config_;

public:
  caf::actor_system system{config_};
  caf::scheduler::test_coordinator& scheduler =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());

  ~deterministic_system() {
    for (const auto& spawned : spawned_)
      caf::anon_send_exit(spawned, caf::exit_reason::kill);
    spawned_.clear();
    scheduler.run();
  }

  /// Spawns an actor that ends with this system at the latest.
  template <class Actor, class... Args>
  caf::actor spawn(Args&&... args) {
    return keep(system.spawn<Actor>(std::forward<Args>(args)...));
  }
  caf::actor keep(caf::actor made) {
    spawned_.push_back(made);
    return made;
  }

  void run() { scheduler.run(); }
  void advance(std::chrono::milliseconds by) {
    scheduler.advance_time(by);
    run();
  }
  void kill(const caf::actor& which) {
    caf::anon_send_exit(which, caf::exit_reason::kill);
    run();
  }
  /// A message to `to` that `from` seems to have sent.
  template <class Message>
  void send_as(const caf::actor& from, const caf::actor& to, Message&& message) {
    caf::send_as(from, to, std::forward<Message>(message));
    run();
  }

private:
  std::vector<caf::actor> spawned_;
};

/// For actors of tests, at whose points nothing is injected.
inline constexpr actors::supervised_actor::fault_places some_fault_places{
    base::fault_point::validator_receive, base::fault_point::validator_reply};

/// What a `probe` got, in order of arrival per kind.
struct probe_log {
  std::vector<actors::payload_validated> validated;
  std::vector<actors::regions_ranked> ranked;
  std::vector<actors::operation_failed> failed;
  std::vector<actors::catalog_changed> catalogs;
  std::vector<actors::discarded> discarded;
  std::vector<actors::geoip_changed> geoips;
  std::vector<actors::owners> owners;
  std::vector<actors::audience> audiences;
  std::vector<actors::validate_payload> validations;
  std::vector<actors::rank_regions> rankings;
  std::vector<actors::list_avatars> avatar_lists;
  std::vector<actors::avatars_listed> avatars;
  std::vector<actors::avatars_changed> avatar_news;
  std::vector<actors::open_media> openings;
  std::vector<actors::media_opened> opened;
  std::vector<actors::export_lobbies> exports;
  std::vector<actors::lobbies_exported> exported;
  std::vector<actors::open_export> export_openings;
  std::vector<actors::export_opened> exports_opened;
};

/// Records the messages it gets.
class probe final : public caf::event_based_actor {
public:
  probe(caf::actor_config& cfg, std::shared_ptr<probe_log> log)
      : caf::event_based_actor{cfg}, log_{std::move(log)} {}

protected:
  caf::behavior make_behavior() override {
    actors::set_strict_handlers(*this);
    return {
        [this](const actors::payload_validated& got) { log_->validated.push_back(got); },
        [this](const actors::regions_ranked& got) { log_->ranked.push_back(got); },
        [this](const actors::operation_failed& got) { log_->failed.push_back(got); },
        [this](const actors::catalog_changed& got) { log_->catalogs.push_back(got); },
        [this](const actors::discarded& got) { log_->discarded.push_back(got); },
        [this](const actors::geoip_changed& got) { log_->geoips.push_back(got); },
        [this](const actors::owners& got) { log_->owners.push_back(got); },
        [this](const actors::audience& got) { log_->audiences.push_back(got); },
        [this](const actors::validate_payload& got) { log_->validations.push_back(got); },
        [this](const actors::rank_regions& got) { log_->rankings.push_back(got); },
        [this](const actors::list_avatars& got) { log_->avatar_lists.push_back(got); },
        [this](const actors::avatars_listed& got) { log_->avatars.push_back(got); },
        [this](const actors::avatars_changed& got) { log_->avatar_news.push_back(got); },
        [this](const actors::open_media& got) { log_->openings.push_back(got); },
        [this](const actors::media_opened& got) { log_->opened.push_back(got); },
        [this](const actors::export_lobbies& got) { log_->exports.push_back(got); },
        [this](const actors::lobbies_exported& got) { log_->exported.push_back(got); },
        [this](const actors::open_export& got) { log_->export_openings.push_back(got); },
        [this](const actors::export_opened& got) { log_->exports_opened.push_back(got); },
    };
  }

  void on_exit() override { *log_ = {}; }

private:
  std::shared_ptr<probe_log> log_;
};

/// Time that moves when told. Starts at an hour, so that "long ago" can be told from "now".
class manual_clock final : public base::clock {
public:
  base::steady_time now() const noexcept override {
    return base::steady_time{std::chrono::nanoseconds{now_ns_.load()}};
  }
  std::int64_t unix_ms() const noexcept override {
    return 1'700'000'000'000 + now_ns_ / 1'000'000 + jumped_ms_;
  }
  void advance(std::chrono::nanoseconds by) { now_ns_ += by.count(); }
  /// Somebody sets the time of day.
  void jump(std::chrono::milliseconds by) { jumped_ms_ += by.count(); }

private:
  std::atomic<std::int64_t> jumped_ms_{0};
  std::atomic<std::int64_t> now_ns_{3'600'000'000'000};
};

/// A blocking pool whose jobs run when told.
class manual_pool final : public base::blocking_pool {
public:
  bool submit(std::function<void()> job) override {
    if (full) return false;
    jobs.push_back(std::move(job));
    return true;
  }
  /// False where nothing is queued.
  bool run_one() {
    if (jobs.empty()) return false;
    const auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
    return true;
  }

  bool full = false;
  std::deque<std::function<void()>> jobs;
};

/// What a `fake_store` says; shared by all connections to it.
struct fake_database {
  model::catalog content;
  /// In the order of their listing.
  std::vector<model::avatar> avatars;
  /// Of every game.
  std::int64_t avatars_revision = 1;
  bool changed = true;
  std::optional<base::error> failure;
  std::optional<base::error> open_failure;
  int opened = 0;
  int loads = 0;
  int avatar_loads = 0;
  /// The history of every game, in order.
  std::vector<model::history_lobby> lobbies;
  ::matchcloud::store::history_revisions history_revisions{1, 1};
  /// Called while a history is read, after its snapshot was taken.
  std::function<void()> while_reading;
  int history_reads = 0;
  int checkpoints = 0;
  std::uint64_t wal_bytes = 0;
};

class fake_store final : public store::store {
public:
  explicit fake_store(std::shared_ptr<fake_database> behind) : behind_{std::move(behind)} {}

  base::expected<bool> poll_changed() override {
    if (behind_->failure) return tl::unexpected(*behind_->failure);
    return std::exchange(first_, false) || std::exchange(behind_->changed, false);
  }
  base::expected<std::int64_t> catalog_revision() override { return behind_->content.revision; }
  base::expected<model::catalog> load_catalog() override {
    ++behind_->loads;
    return behind_->content;
  }
  base::expected<::matchcloud::store::moved_games>
  moved_games_since(::matchcloud::store::game_subject, std::int64_t known) override {
    ::matchcloud::store::moved_games moved;
    moved.revision = behind_->avatars_revision;
    moved.all = known < 0;
    if (known >= 0 && known < moved.revision) moved.games.push_back({id_of(1), moved.revision});
    return moved;
  }
  base::expected<std::int64_t>
  read_avatars(const model::uuid& game_id,
               const std::function<bool(const model::avatar&)>& take) override {
    ++behind_->avatar_loads;
    if (behind_->failure) return tl::unexpected(*behind_->failure);
    for (const auto& each : behind_->avatars)
      if (each.game_id == game_id && !take(each)) break;
    return behind_->avatars_revision;
  }

  // -- not for actors ---------------------------------------------------------

  base::expected<::matchcloud::store::import_summary>
  import_catalog(const model::catalog_document&) override {
    return unused();
  }
  base::expected<std::vector<::matchcloud::store::put_outcome>>
  put_avatars(std::span<const model::avatar>) override {
    return unused();
  }
  base::expected<std::vector<::matchcloud::store::put_outcome>>
  check_avatars(std::span<const model::avatar>) override {
    return unused();
  }
  base::expected<::matchcloud::store::lobby_merge>
  merge_lobbies(std::span<const model::lobby_record>, const model::lobby_kind_table&) override {
    return base::fail(base::errc::internal, "not part of this test");
  }
  base::expected<::matchcloud::store::lobby_merge>
  check_lobbies(std::span<const model::lobby_record>, const model::lobby_kind_table&) override {
    return base::fail(base::errc::internal, "not part of this test");
  }
  base::expected<std::vector<::matchcloud::store::lobby_kind_finding>>
  check_lobby_kinds(const model::lobby_kind_table&) override {
    return base::fail(base::errc::internal, "not part of this test");
  }
  base::expected<::matchcloud::store::history_revisions>
  read_history_revisions(const model::uuid&) override {
    if (behind_->failure) return tl::unexpected(*behind_->failure);
    return behind_->history_revisions;
  }
  base::expected<void> read_lobby_history(const model::export_query&, const base::clock& clock,
                                          const ::matchcloud::store::history_reader& to) override {
    ++behind_->history_reads;
    if (behind_->failure) return tl::unexpected(*behind_->failure);
    const auto lobbies = behind_->lobbies;
    to.begun({behind_->history_revisions, clock.unix_ms()});
    if (behind_->while_reading) behind_->while_reading();
    for (const auto& each : lobbies) {
      if (to.stop && to.stop()) return base::fail(base::errc::cancelled, "stopped");
      if (!to.take(each)) break;
    }
    return {};
  }
  base::expected<bool> has_lobbies() override { return false; }
  std::uint64_t wal_bytes() override { return behind_->wal_bytes; }
  base::expected<bool> checkpoint() override {
    ++behind_->checkpoints;
    return true;
  }
  base::expected<void> remove(const model::element_key&) override { return unused(); }

private:
  static tl::unexpected<base::error> unused() {
    return base::fail(base::errc::internal, "not part of this test");
  }

  std::shared_ptr<fake_database> behind_;
  bool first_ = true;
};

/// Knows the locations it was given, by the last byte of an address.
class fake_geoip final : public store::geoip {
public:
  explicit fake_geoip(std::vector<std::pair<std::uint8_t, model::coordinates>> known)
      : known_{std::move(known)} {}

  std::optional<model::coordinates>
  locate(const model::ip_address& address) const noexcept override {
    for (const auto& [last_byte, location] : known_)
      if (address.bytes[15] == last_byte) return location;
    return std::nullopt;
  }

private:
  std::vector<std::pair<std::uint8_t, model::coordinates>> known_;
};

inline model::ip_address address_of(std::uint8_t last_byte) {
  return model::ip_address::from_v4(std::array<std::uint8_t, 4>{192, 0, 2, last_byte});
}

} // namespace matchcloud::fixtures
