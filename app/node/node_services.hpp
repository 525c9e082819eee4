#pragma once

#include "actors/avatar/avatar_lists.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/latency_map/latency_map.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "app/config/protections.hpp"
#include "app/node/child_specs.hpp"
#include "app/node/resources.hpp"
#include "base/blocking_pool.hpp"
#include "http/front/front_settings.hpp"
#include "http/transport/shared_bounds.hpp"
#include "store/database_file.hpp"
#include "store/housekeeping/housekeeper.hpp"
#include "store/object_store.hpp"
#include "store/open_store.hpp"
#include "store/replica_lease.hpp"
#include "store/store_contact.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// Whether the service is ready: it serves, no restart storm is going on, and its store is present
/// and usable by this program's version. Different threads set the parts. Changes are reported one
/// at a time, so that the last report is the current state. Any thread.
class readiness {
public:
  using state = http::service_state;

  /// `tell` is called under a lock, on the thread that sets a part, for as long as this exists.
  explicit readiness(std::function<void(state)> tell) : tell_{std::move(tell)} {}

  void set_serving() { set(phase_, state::ready); }
  void set_draining() { set(phase_, state::draining); }
  void set_storming(bool storms) { set(storming_, storms); }
  /// The store is for newer programs, for good.
  void set_fenced() { set(fenced_, true); }
  /// The store's file has lost its name, or has it again.
  void set_lost(bool is_lost) { set(lost_, is_lost); }

private:
  template <class Part>
  void set(Part& part, Part value) {
    const std::lock_guard lock{mutex_};
    part = value;
    tell_(now());
  }
  state now() const noexcept {
    if (phase_ != state::ready) return phase_;
    if (fenced_) return state::store_newer;
    if (lost_) return state::store_gone;
    return storming_ ? state::restart_storm : state::ready;
  }

  std::mutex mutex_;
  std::function<void(state)> tell_;
  state phase_ = state::starting;
  bool storming_ = false;
  bool fenced_ = false;
  bool lost_ = false;
};

/// Makes what the actors of a node share: the store, with images, exports and secrets, what was
/// learned of latencies, the GeoIP files, and the threads for blocking work. The actors that use it
/// end before it does. One thread at a time.
class node_services {
public:
  /// All of it outlives this; `ready` learns whether the store may be used. The budgets of `data`
  /// and `ops` account for files in memory.
  node_services(const serve_config& config, http::shared_bounds& data, http::shared_bounds& ops,
                readiness& ready);
  node_services(const node_services&) = delete;
  node_services& operator=(const node_services&) = delete;

  /// Opens the store and what is in it; may be called again if it fails. Throws `base::failure`.
  void open();
  /// What the actors see of this, once it is known where clients reach the service and how many
  /// event loops there are.
  std::shared_ptr<node_layout> layout(const std::string& public_url, std::size_t loops);
  /// The protections in force that are weaker than at the last start.
  std::vector<std::string> weaker_protections() const;
  /// Records the protections in force, which may have to wait for the store.
  void record_protections(model::audit_action action);
  /// Ends the threads: first exports, then all that may wait for the store. Call when no actor is
  /// left, while the loops still exist.
  void end();

  const actors::services& get() const noexcept { return with_; }
  /// What the actors start with.
  const actors::initial_state& first() const noexcept { return first_; }
  const model::uuid& replica_id() const noexcept { return replica_id_; }
  const std::shared_ptr<store::replica_count>& replica_count() const { return replica_count_; }
  const std::shared_ptr<store::replica_board>& board() const noexcept { return board_; }
  /// Adds the metrics of all of it.
  void show(base::metric_set& in) const;

private:
  bool is_embedded() const noexcept { return config_->store.url.empty(); }
  void open_database();
  /// The node's store if it is on a server, so that its connections are bounded together; otherwise
  /// another one, behind the same fence.
  std::shared_ptr<store::database> open_beside(const store::store_settings& settings) const;
  /// Opens what the ops plane and housekeeping use, so that a hanging store delays nothing else.
  void open_beside_requests();
  /// Refuses to end a protection of the last start, see `check_protections`.
  void check_last_protections();
  /// Opens images and exports, which are in the data directory or in a bucket.
  void open_objects();
  /// Loads what actors start with: the catalog, the tokens and the latencies.
  void load_first();
  void open_geoip();
  /// Removes what is not kept.
  void keep_house();
  void on_fenced(const base::error& why);
  void note_lost(std::optional<std::string> why);

  const serve_config* config_;
  http::shared_bounds* data_bounds_;
  http::shared_bounds* ops_bounds_;
  readiness* ready_;
  /// Of the start before this one, or of this one if none is on record.
  given_protections last_protections_;
  /// The clock by which tokens, URLs and exports expire.
  store::store_clock clock_;
  /// This process, to others on the store.
  model::uuid replica_id_;
  std::shared_ptr<store::replica_count> replica_count_ = std::make_shared<store::replica_count>();
  /// Null where the store is embedded: the processes on it are few, and replace each other.
  std::unique_ptr<store::replica_lease> replicas_;
  std::shared_ptr<store::replica_board> board_ = std::make_shared<store::replica_board>();
  /// The file of an embedded store; empty for others.
  std::optional<store::database_file> database_file_;
  std::mutex told_lost_mutex_;
  /// Why the database is lost, as logged.
  std::optional<std::string> told_lost_;
  actors::avatar_metrics avatar_metrics_;
  actors::latency_metrics latency_metrics_;
  actors::export_metrics export_metrics_;
  actors::geoip_metrics geoip_metrics_;
  actors::ingestion_metrics ingestion_metrics_;
  std::shared_ptr<store::object_store> objects_;
  actors::initial_state first_;
  actors::services with_;
  std::unique_ptr<store::housekeeper> housekeeper_;
  /// Whether the last run of it failed, which is logged once. For its thread.
  bool housekeeping_fails_ = false;
  // All threads end before anything that a task may use.
  base::thread_pool housekeeping_;
  base::thread_pool blocking_;
  base::thread_pool exporting_;
  /// Null where the store is embedded: then `blocking_` does its work.
  std::unique_ptr<base::thread_pool> store_work_;
  base::thread_pool surveying_;
  base::thread_pool ingesting_;
  base::thread_pool administering_;
};

} // namespace matchcloud::app
