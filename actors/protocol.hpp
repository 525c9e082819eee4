#pragma once

#include "actors/message.hpp"
#include "actors/owner.hpp"
#include "actors/ticket.hpp"
#include "base/error.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/regions/region_listing.hpp"
#include "model/validation/validation.hpp"
#include "store/exports/export_files.hpp"
#include "store/files/media_files.hpp"
#include "store/geoip/geoip.hpp"
#include "store/lobby_history_csv.hpp"
#include "store/moved_games.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Every message between actors, and who sends it to whom. Plain messages, no CAF requests: a
/// deadline is the transport's, and a reply carries the exchange it belongs to. What messages share
/// is immutable, but for the ticket of their request.
///
///     transport --dispatch--> front --validate_payload--> validator
///                               |  <--json_made / operation_failed----------'
///                               |----rank_regions-------> region_ranking
///                               |  <--regions_ranked----------------------'
///                               |----list_avatars-------> avatar
///                               |  <--json_made / operation_failed-------'
///                               |----open_media---------> media
///                               |  <--media_opened / operation_failed----'
///                               |----export_lobbies-----> lobby_export
///                               |  <--json_made / operation_failed-------'
///                               |----open_export--------> export_download
///                               |  <--export_opened / operation_failed---'
///     catalog --catalog_changed--> validator, region_ranking, avatar, lobby_export, supervisor
///     catalog --avatars_changed--> avatar
///     geoip_watch --geoip_changed--> region_ranking, supervisor
///     supervisor --subscribers--> catalog, geoip_watch;  supervisor --owners--> front
namespace matchcloud::actors {

/// Names one try at one exchange of a transport. A reply for a try that is not the current one, or
/// for an exchange that is answered, is dropped.
struct exchange_ref {
  std::uint64_t exchange = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const exchange_ref&, const exchange_ref&) = default;
};

/// front -> validator. Answers `json_made`, or `operation_failed` with `body_malformed`,
/// `body_too_deep`, `body_not_object`, or, for a version, `game_not_found`.
struct validate_payload {
  exchange_ref exchange;
  model::payload_kind kind = model::payload_kind::version;
  /// Only for a version.
  model::uuid game_id;
  std::shared_ptr<const std::string> body;
  ticket_ptr ticket = {};
};

/// validator, avatar, lobby_export -> front: what was asked for, as the response body.
struct json_made {
  exchange_ref exchange;
  std::shared_ptr<const std::string> json;
  /// Its bytes hold their own lease of the byte budget: many exchanges share them.
  bool is_leased = false;
};

/// front -> region_ranking. Always answers `regions_ranked`.
struct rank_regions {
  exchange_ref exchange;
  model::ip_address client;
  /// Host name of the request's `Origin`, lower case; empty without one.
  std::string origin_host;
  /// What the client measured itself, in ascending order of id.
  std::vector<model::measured_latency> measured = {};
  ticket_ptr ticket = {};
};

/// region_ranking -> front: the response, shared by all who get the same.
struct regions_ranked {
  exchange_ref exchange;
  std::shared_ptr<const model::region_listing> listing;
};

/// front -> avatar. Answers `json_made`, or `operation_failed` with `game_not_found`,
/// `overloaded`, `budget_exhausted`, `list_too_large` or `store_failed`.
struct list_avatars {
  exchange_ref exchange;
  model::uuid game_id;
  ticket_ptr ticket = {};
};

/// blocking pool -> avatar: a game's list as the store has it.
struct avatars_loaded {
  model::uuid game_id;
  /// Null where loading failed.
  std::shared_ptr<const std::string> json;
  /// Of the game's avatars; what was loaded is at least that new.
  std::int64_t revision = 0;
  std::shared_ptr<const base::error> failure;
};

/// front -> media. Answers `media_opened`, or `operation_failed` with `media_not_found`,
/// `overloaded` or `io_failed`.
struct open_media {
  exchange_ref exchange;
  store::image_key key;
  ticket_ptr ticket = {};
};

/// media -> front: the file stays open for as long as this or the answer holds it.
struct media_opened {
  exchange_ref exchange;
  store::image_key key;
  std::shared_ptr<const base::open_file> file;
};

/// blocking pool -> media: how opening a file ended.
struct media_open_ended {
  store::image_key key;
  /// Null: see `failure`.
  std::shared_ptr<const base::open_file> file;
  base::error failure;
};

/// front -> lobby_export. Answers `json_made` once the file is complete, or
/// `operation_failed` with what `read_export_span` says, `game_not_found`, `exports_busy`,
/// `exports_full`, `store_full`, `store_failed` or `deadline_exceeded`.
struct export_lobbies {
  exchange_ref exchange;
  model::uuid game_id;
  std::shared_ptr<const std::string> body;
  /// Where it is over the export goes on.
  ticket_ptr ticket = {};
};

/// blocking pool -> lobby_export: what exports that begin now would be of.
struct history_looked {
  struct finding {
    /// Names the request that wants to know.
    std::uint64_t request = 0;
    store::history_revisions revisions;
    /// A file that was to be given and is not there: somebody else removed it.
    std::optional<model::uuid> missing;
  };

  std::vector<finding> findings;
  /// Set where the store could not be read; the revisions then mean nothing.
  std::shared_ptr<const base::error> failure;
};

/// export thread -> lobby_export: a job reads this state of the store.
struct export_begun {
  std::uint64_t job = 0;
  store::history_snapshot snapshot;
};

/// export thread -> lobby_export: how a job ended.
struct export_ended {
  std::uint64_t job = 0;
  store::export_facts facts;
  store::history_summary summary;
  /// Set where there is no file.
  std::shared_ptr<const base::error> failure;
};

/// lobby_export -> lobby_export, every tick.
struct exports_housekeeping {};

/// front -> export_download. Answers `export_opened`, or `operation_failed` with
/// `signature_invalid`, `url_expired`, `export_not_found`, `overloaded` or `io_failed`.
struct open_export {
  exchange_ref exchange;
  model::uuid export_id;
  /// As in the URL: seconds since 1970.
  std::uint64_t expires_s = 0;
  std::string signature;
  /// The client takes the compressed file.
  bool gzip = false;
  ticket_ptr ticket = {};
};

/// export_download -> front: the files stay open for as long as this or the answer holds them.
struct export_opened {
  exchange_ref exchange;
  std::shared_ptr<const store::opened_export> file;
};

/// blocking pool -> export_download: how opening an export ended.
struct export_open_ended {
  model::uuid export_id;
  /// Null: see `failure`.
  std::shared_ptr<const store::opened_export> file;
  base::error failure;
};

/// export thread -> export_download: compressing an export ended, one way or the other.
struct export_compressed {
  model::uuid export_id;
  /// The compressed file is there.
  bool done = false;
};

/// export_download -> export_download, every tick.
struct downloads_housekeeping {};

/// Any owner -> front.
struct operation_failed {
  exchange_ref exchange;
  base::error error;
};

/// catalog -> its subscribers: on subscribing and whenever the catalog changes.
struct catalog_changed {
  model::catalog_snapshot snapshot;
};

/// region_ranking -> catalog: what it rendered of the old snapshot. Whoever destroys the message
/// frees it: not an event loop.
struct discarded {
  std::shared_ptr<const void> what;
};

/// geoip_watch -> its subscribers: on subscribing and whenever GeoIP files were replaced.
struct geoip_changed {
  std::shared_ptr<const store::geoip> geoip;
};

/// catalog -> avatar shards: lists that another process or thread changed.
struct avatars_changed {
  std::shared_ptr<const store::moved_games> moved;
};

/// supervisor -> catalog, geoip_watch: who hears of changes from now on.
struct subscribers {
  /// Of what the one who is told owns.
  std::vector<caf::actor> members;
  /// Of changed avatar lists; for the catalog only.
  std::vector<caf::actor> avatar_shards;
};

/// catalog -> catalog, every poll interval.
struct poll_store {};

/// blocking pool -> catalog: what a poll found. Null: nothing moved.
struct store_polled {
  model::catalog_snapshot snapshot;
  /// Games whose avatars moved; null: none.
  std::shared_ptr<const store::moved_games> avatars;
  /// Set where the store could not be read; the old snapshot stays in force.
  std::shared_ptr<const base::error> failure;
};

/// geoip_watch -> geoip_watch, every poll interval.
struct look_at_geoip {};

/// blocking pool -> geoip_watch: the files were looked at.
struct geoip_looked {
  std::shared_ptr<const store::geoip> in_force;
};

/// supervisor -> front: where the owners are now, by `index_of` each. An empty handle: being
/// restarted. Exchanges that wait for an owner whose address changed are dispatched again.
struct owners {
  std::vector<caf::actor> by_role;
};

/// supervisor -> supervisor: the backoff of the child with this index is over.
struct restart_child {
  std::size_t child = 0;
};

/// Any actor -> itself: a message that a fault holds back.
struct held_message {
  /// Null: the next of the news that are late.
  caf::actor to;
  /// Who seems to have sent it; null: nobody.
  caf::strong_actor_ptr from;
  caf::message what;
  base::fault_point at{};
  /// The rule that stalls it; 0: it was only late.
  std::uint32_t stalled_by = 0;
};

/// supervisor -> supervisor, while there are restart storms: whether they are over.
struct look_for_calm {};

/// app -> supervisor: ends all actors, then itself.
struct stop_all {};

} // namespace matchcloud::actors
