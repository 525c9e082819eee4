#pragma once

#include "actors/avatar/avatar_lists.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/latency_map/latency_map.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "actors/request/services.hpp"
#include "app/config/config.hpp"
#include "app/config/protections.hpp"
#include "app/node/housekeeping.hpp"
#include "app/node/ops_services.hpp"
#include "app/node/readiness.hpp"
#include "base/blocking_pool.hpp"
#include "http/transport/shared_bounds.hpp"
#include "store/database_file.hpp"
#include "store/object_store.hpp"
#include "store/replica_lease.hpp"
#include "store/secrets/secret_store.hpp"
#include "store/store_contact.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// Makes what the actors of a node share: the store, with images, exports and secrets, what was
/// learned of latencies, the GeoIP files, and the threads for blocking work. The actors that use it
/// end before it does, and its threads before anything that a task may use. One thread at a time.
class node_services {
public:
  /// All of it outlives this; `ready` learns whether the store may be used. The budgets of `data`
  /// and `ops` account for files in memory.
  node_services(const serve_config& config, http::shared_bounds& data, http::shared_bounds& ops,
                readiness& ready);
  ~node_services() = default;
  node_services(const node_services&) = delete;
  node_services& operator=(const node_services&) = delete;

  /// Opens the store and what is in it; may be called again if it fails. Throws `base::failure`.
  void open();
  /// Makes the avatar lists, once it is known where clients reach the service.
  void make_avatar_lists(const std::string& public_url);
  /// Records the protections in force, and shows the weaker ones in `attention`.
  void record_protections(model::audit_action action);
  /// Heals all faults, for good.
  void end_faults();
  /// Ends the threads: first exports, then all that may wait for the store. Call when no actor is
  /// left.
  void end();

  const actors::services& get() const noexcept { return with_; }
  ops_services& ops() noexcept { return *ops_; }
  const ops_services& ops() const noexcept { return *ops_; }
  base::thread_pool& blocking() noexcept { return blocking_; }
  /// Where images and exports are; `is_in_bucket` if not in the data directory.
  const std::shared_ptr<store::object_store>& objects() const noexcept { return objects_; }
  bool is_in_bucket() const noexcept { return config_->store.has_bucket(); }
  const model::uuid& replica_id() const noexcept { return replica_id_; }
  const std::shared_ptr<store::replica_count>& replica_count() const { return replica_count_; }
  const std::shared_ptr<store::replica_board>& board() const noexcept { return board_; }
  const store::store_clock& clock() const noexcept { return clock_; }
  const actors::export_metrics& export_metrics() const noexcept { return export_metrics_; }
  const model::catalog_snapshot& first_catalog() const noexcept { return first_catalog_; }
  const model::token_snapshot& first_tokens() const noexcept { return first_tokens_; }
  /// Housekeeping and, on a server, the lease of this replica.
  std::vector<std::pair<std::string, actors::repeated_task_settings>> repeated() const;
  /// Notices when the file of an embedded store is lost or found again; empty for others.
  std::function<void()> look_at_store();
  /// Adds the metrics of all of it.
  void show(base::metric_set& in) const;

private:
  void open_database();
  /// Refuses to end a protection of the last start, see `check_protections`.
  void check_last_protections();
  /// Opens images and exports, which are in the data directory or in a bucket.
  void open_objects();
  /// Loads what actors start with: the catalog, the tokens and the latencies.
  void load_first();
  void open_geoip();
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
  std::shared_ptr<store::replica_lease> replicas_;
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
  std::shared_ptr<store::object_store> objects_;
  std::shared_ptr<store::secret_store> secrets_;
  model::token_snapshot first_tokens_;
  model::catalog_snapshot first_catalog_;
  actors::services with_;
  std::unique_ptr<housekeeping> housekeeping_;
  // Joined before what their tasks use is destroyed.
  std::unique_ptr<ops_services> ops_;
  base::thread_pool blocking_;
  base::thread_pool exporting_;
  /// Null where the store is embedded: then `blocking_` does its work.
  std::unique_ptr<base::thread_pool> store_work_;
};

/// Makes a random UUID (version 4). Any thread.
model::uuid new_id();

} // namespace matchcloud::app
