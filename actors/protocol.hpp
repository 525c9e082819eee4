#pragma once

#include "actors/list_offer.hpp"
#include "actors/lobby_survey.hpp"
#include "actors/message.hpp"
#include "actors/owner.hpp"
#include "actors/ticket.hpp"
#include "base/error.hpp"
#include "model/access/access_token.hpp"
#include "model/audit/audit.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/regions/region_listing.hpp"
#include "model/validation/validation.hpp"
#include "store/exports/export_store.hpp"
#include "store/geoip/geoip.hpp"
#include "store/lobby_history_csv.hpp"
#include "store/media/image_source.hpp"
#include "store/moved_games.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Every message between actors, with its sender and receiver. The messages are plain, not CAF
/// requests: the transport owns the deadline, and a reply carries the exchange that it belongs to.
/// Whatever messages share is immutable, except for the ticket of their request and whether an
/// offer stands.
///
///     transport --requests_wait, dispatch--> front
///                             front --validate_payload--> validator
///                               |  <--json_made / validation_deferred / operation_failed
///                               |----rank_regions, rank_many--> region_ranking
///                               |  <--regions_ranked, many_ranked---------'
///                               |----list_avatars-------> avatar
///                               |  <--json_made / operation_failed-------'
///                               |----open_media---------> media
///                               |  <--media_opened / operation_failed----'
///                               |----export_lobbies-----> lobby_export
///                               |  <--json_made / operation_failed-------'
///                               |----open_export--------> export_download
///                               |  <--export_opened / operation_failed---'
///                               |----ingest_lobbies, body_part--> ingestion
///                               |  <--body_credit, json_made / operation_failed
///                               |----administer, administer_tokens, read_audit--> administration
///                               |----control_faults-----> fault_control
///                               |  <--json_made / operation_failed-------'
///                               |----print_schema-------> validator
///                               |----explain_ranking----> region_ranking
///                               |----list_exports-------> lobby_export
///                               |  <--json_made--------------------------'
///                               |----render_report, survey_lobbies, watch_status,
///                               |    answer_taken-------> reports
///                               |  <--text_made, json_made / answer_begun, answer_part
///     catalog --catalog_changed--> validator, region_ranking, avatar, lobby_export, supervisor
///     catalog --avatars_changed--> avatar
///     catalog --tokens_changed--> front, bookkeeping, supervisor
///     geoip_watch --geoip_changed--> region_ranking, supervisor
///     supervisor --subscribers--> catalog, geoip_watch;  supervisor --owners--> front
namespace matchcloud::actors {

/// Names one attempt at one exchange of a transport. A reply for an attempt that is not the current
/// one, or for an exchange that is already answered, is dropped.
struct exchange_ref {
  std::uint64_t exchange = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const exchange_ref&, const exchange_ref&) = default;
};

/// front -> validator. Answered with `json_made`, or `operation_failed` with `body_malformed`,
/// `body_too_deep`, `body_not_object` or, for a version, `game_not_found`; by a validator of an
/// event loop also with `validation_deferred`.
struct validate_payload {
  exchange_ref exchange;
  model::payload_kind kind = model::payload_kind::version;
  /// The game that must exist; only for a version, and not where an operator asks.
  std::optional<model::uuid> game_id;
  std::shared_ptr<const std::string> body;
  ticket_ptr ticket = {};
};

/// validator -> front: the payload has more findings than an event loop should take the time for.
/// The large validator gets it instead.
struct validation_deferred {
  exchange_ref exchange;
  validate_payload request;
};

/// front -> validator. Answered with `json_made`: the JSON Schema of the payloads.
struct print_schema {
  exchange_ref exchange;
  model::payload_kind kind = model::payload_kind::version;
  ticket_ptr ticket = {};
};

/// validator, avatar, lobby_export -> front: the response body.
struct json_made {
  exchange_ref exchange;
  std::shared_ptr<const std::string> json;
  /// Whether the text holds its own lease of the byte budget, because many exchanges share it.
  bool is_leased = false;
  int status = 200;
  /// avatar: with what the front may answer who asks for the same; null: it has to ask again.
  std::shared_ptr<const list_offer> offer = {};
};

/// front -> region_ranking. Always answered with `regions_ranked`.
struct rank_regions {
  exchange_ref exchange;
  model::ip_address client;
  /// Host name of the request's `Origin`, in lower case; empty if there is none.
  std::string origin_host;
  /// The client's own measurements, in ascending order of id.
  std::vector<model::measured_latency> measured = {};
  /// The namespace of the request's token, which then counts in place of the Origin's.
  std::optional<model::uuid> namespace_id = {};
  /// Whether the client takes gzip.
  bool gzip = false;
  ticket_ptr ticket = {};
};

/// front -> region_ranking: requests that came together, at most 16. Answered like as many
/// `rank_regions`, by `regions_ranked` or, together, by `many_ranked`.
struct rank_many {
  std::vector<rank_regions> all;
};

/// front -> region_ranking: an operator asks for the listing of a client, or of a place. Answered
/// with `json_made`, or `operation_failed` with `element_not_found`.
struct explain_ranking {
  exchange_ref exchange;
  /// Where there is no `at`.
  model::ip_address client;
  std::optional<model::coordinates> at;
  std::optional<model::uuid> namespace_id;
  ticket_ptr ticket = {};
};

/// region_ranking -> front: the listing, shared by all requests with the same answer.
struct regions_ranked {
  exchange_ref exchange;
  std::shared_ptr<const model::region_listing> listing;
  /// The listing as it is compressed, kept for all who take gzip; null for who does not, or where
  /// it is not kept.
  std::shared_ptr<const std::string> gzip = {};
};

/// region_ranking -> front: answers to requests that came together.
struct many_ranked {
  std::vector<regions_ranked> all;
};

/// front -> avatar. Answered with `json_made`, or `operation_failed` with `game_not_found`,
/// `overloaded`, `budget_exhausted`, `list_too_large` or `store_failed`.
struct list_avatars {
  exchange_ref exchange;
  model::uuid game_id;
  ticket_ptr ticket = {};
};

/// blocking pool -> avatar: a game's avatar list, rendered from the store.
struct avatars_loaded {
  model::uuid game_id;
  /// Null if loading failed.
  std::shared_ptr<const std::string> json;
  /// The revision of the game's avatars; the loaded list is at least this new.
  std::int64_t revision = 0;
  std::shared_ptr<const base::error> failure;
};

/// front -> media. Answered with `media_opened`, or `operation_failed` with the errors of
/// `image_source::open`.
struct open_media {
  exchange_ref exchange;
  store::image_key key;
  ticket_ptr ticket = {};
};

/// media -> front: an image, whose file stays open as long as this message or the response holds
/// it.
struct media_opened {
  exchange_ref exchange;
  store::image_key key;
  store::opened_image image;
};

/// blocking pool -> media: the result of opening an image.
struct media_open_ended {
  store::image_key key;
  base::expected<store::opened_image> image;
};

/// front -> lobby_export. Answered with `json_made` once the file is complete, or
/// `operation_failed` with the errors of `read_export_span`, `game_not_found`, `exports_busy`,
/// `exports_full`, `store_full`, `store_failed`, `history_too_slow` or `deadline_exceeded`.
struct export_lobbies {
  exchange_ref exchange;
  model::uuid game_id;
  std::shared_ptr<const std::string> body;
  /// Whether an operator asks, who gets a link on the plane that was asked, for a minute.
  bool is_for_operator = false;
  /// The export continues even if the ticket is over.
  ticket_ptr ticket = {};
};

/// front -> lobby_export. Answered with `json_made`: the exports that are queued, under way or
/// there.
struct list_exports {
  exchange_ref exchange;
  ticket_ptr ticket = {};
};

/// blocking pool -> lobby_export: the revisions that exports beginning now would cover.
struct history_looked {
  struct result {
    /// The number of the `look_request`.
    std::uint64_t request = 0;
    store::history_revisions revisions;
    /// The file of the request, if it no longer exists because another process removed it.
    std::optional<model::uuid> missing;
    /// An export of other processes that serves the request or may (`export_store::find`).
    std::shared_ptr<const store::export_record> found;
  };

  std::vector<result> results;
  /// Set if the store could not be read; the revisions are then meaningless.
  std::shared_ptr<const base::error> failure;
};

/// export thread -> lobby_export: the state of the store that a job reads.
struct export_begun {
  std::uint64_t job = 0;
  store::history_snapshot snapshot;
};

/// export thread -> lobby_export: the result of a job.
struct export_ended {
  std::uint64_t job = 0;
  store::export_facts facts;
  store::history_summary summary;
  /// Set if there is no file.
  std::shared_ptr<const base::error> failure;
  /// Set if another process has the export, so that there is nothing yet to say about it.
  std::shared_ptr<const store::other_export> other;
};

/// blocking pool -> lobby_export: what became of exports that other processes write. Empty if the
/// store could not be read.
struct exports_followed {
  struct result {
    std::uint64_t job = 0;
    /// See `export_store::follow`; null if there is nothing to follow any more.
    std::shared_ptr<const store::export_record> record;
  };

  std::vector<result> results;
};

/// lobby_export -> lobby_export, from time to time while other processes write exports that
/// requests wait for.
struct exports_following {};

/// lobby_export -> lobby_export, at every tick.
struct exports_housekeeping {};

/// front -> export_download. Answered with `export_opened`, or `operation_failed` with
/// `signature_invalid`, `url_expired` or the errors of `export_store::open`.
struct open_export {
  exchange_ref exchange;
  model::uuid export_id;
  /// The expiry in the URL, in seconds since 1970.
  std::uint64_t expires_s = 0;
  std::string signature;
  /// Whether the client accepts the compressed file.
  bool gzip = false;
  ticket_ptr ticket = {};
};

/// export_download -> front: an export, whose files stay open as long as this message or the
/// response holds them.
struct export_opened {
  exchange_ref exchange;
  store::opened_export_ptr file;
};

/// blocking pool -> export_download: the result of opening an export.
struct export_open_ended {
  model::uuid export_id;
  /// Null if opening failed; see `failure`.
  store::opened_export_ptr file;
  base::error failure;
};

/// export thread -> export_download: compressing an export ended, successfully or not.
struct export_compressed {
  model::uuid export_id;
  /// Whether the compressed file exists.
  bool done = false;
};

/// export_download -> export_download, at every tick.
struct downloads_housekeeping {};

/// front -> ingestion. Answered with `json_made` once all lines are committed, or
/// `operation_failed` with `store_backlogged`, `overloaded`, `unavailable` or the store's error.
struct ingest_lobbies {
  exchange_ref exchange;
  /// Whether `body_part`s follow once the receiver has granted credit.
  bool has_body = true;
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// blocking pool -> ingestion: parts of a body were used up.
struct ingest_advanced {
  exchange_ref exchange;
  std::size_t bytes = 0;
  /// The answer, once the last part is committed; null before.
  std::shared_ptr<const std::string> summary;
  /// Set where the ingest failed.
  std::shared_ptr<const base::error> failure;
};

/// ingestion -> ingestion, at every tick while there are ingests.
struct look_for_left {};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of
/// `model::parse_element`, `model::find_element` and `store::catalog_store`.
struct administer {
  enum class verb : std::uint8_t { list, get, put, remove };

  exchange_ref exchange;
  verb what = verb::list;
  model::element_kind kind = model::element_kind::region;
  /// Except for a list.
  std::string id;
  /// For `put`.
  std::shared_ptr<const std::string> body;
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the errors of
/// `model::parse_new_token` and `store::access_store`.
struct administer_tokens {
  enum class verb : std::uint8_t { list, create, get, revoke, rotate };

  exchange_ref exchange;
  verb what = verb::list;
  /// Except for `list` and `create`.
  model::uuid token_id = {};
  /// For `create` and `rotate`.
  std::shared_ptr<const std::string> body = {};
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// front -> administration. Answered with `json_made`, or `operation_failed` with the store's
/// error.
struct read_audit {
  exchange_ref exchange;
  model::audit_query query;
  ticket_ptr ticket = {};
};

/// blocking pool -> administration: what became of a request.
struct administered {
  exchange_ref exchange;
  caf::actor front;
  int status = 200;
  std::shared_ptr<const std::string> json;
  /// Set where the request failed.
  std::shared_ptr<const base::error> failure;
  ticket_ptr ticket = {};
};

/// front -> fault_control. Answered with `json_made`, or `operation_failed` with
/// `element_not_found`, `query_invalid` or `draining`.
struct control_faults {
  enum class verb : std::uint8_t { list, clear_all, get, put, clear };

  exchange_ref exchange;
  verb what = verb::list;
  /// The name of a fault point, except for `list` and `clear_all`.
  std::string point;
  /// For `put`: the rule.
  std::shared_ptr<const std::string> body;
  /// For changes.
  model::audit_author by = {};
  ticket_ptr ticket = {};
};

/// blocking pool -> fault_control: the audit log has an entry of the change, or `failure` says why
/// not.
struct fault_recorded {
  control_faults request;
  caf::actor front;
  std::shared_ptr<const base::error> failure;
};

/// front -> reports. Answered with `text_made`.
struct render_report {
  enum class kind : std::uint8_t { metrics, actors, places, traces };

  exchange_ref exchange;
  kind what = kind::metrics;
  ticket_ptr ticket = {};
};

/// reports -> front: the response body.
struct text_made {
  exchange_ref exchange;
  /// Has static storage duration.
  std::string_view content_type;
  std::shared_ptr<const std::string> text;
};

/// front -> reports. Answered with `json_made`, or `operation_failed` with `game_not_found`,
/// `overloaded` or the store's error.
struct survey_lobbies {
  exchange_ref exchange;
  model::uuid game_id;
  lobby_survey_query query;
  ticket_ptr ticket = {};
};

/// blocking pool -> reports: what a survey of lobbies found.
struct lobbies_surveyed {
  exchange_ref exchange;
  caf::actor front;
  std::shared_ptr<const std::string> json;
  /// Set where the survey failed.
  std::shared_ptr<const base::error> failure;
};

/// front -> reports. Answered with `answer_begun` and then an `answer_part` at every tick, or
/// `operation_failed` with `overloaded`.
struct watch_status {
  exchange_ref exchange;
  ticket_ptr ticket = {};
};

/// reports -> reports, at every tick while somebody watches.
struct tell_status {};

/// owner -> front: an answer whose body follows as `answer_part`s. The owner must not have more
/// than 256 KiB of them unacknowledged by `answer_taken`.
struct answer_begun {
  exchange_ref exchange;
  /// Has static storage duration.
  std::string_view content_type;
};

/// transport -> front -> owner: a part of a streamed request body, sent only while the owner's
/// credit lasts.
struct body_part {
  exchange_ref exchange;
  /// The position of its first byte in the body.
  std::uint64_t offset = 0;
  std::shared_ptr<const std::string> bytes;
  /// The last part; it may be empty.
  bool is_last = false;
};

/// owner -> front -> transport: the owner takes that many bytes more of the body. Without credit
/// the transport reads nothing.
struct body_credit {
  exchange_ref exchange;
  std::size_t bytes = 0;
};

/// owner -> front -> transport: a part of an answer that began with `answer_begun`.
struct answer_part {
  exchange_ref exchange;
  std::shared_ptr<const std::string> bytes;
  /// The last part; it may be empty.
  bool is_last = false;
};

/// transport -> front -> owner: the client took that many bytes of the parts of its answer.
struct answer_taken {
  exchange_ref exchange;
  std::size_t bytes = 0;
};

/// Any owner -> front: the error that answers a request.
struct operation_failed {
  exchange_ref exchange;
  base::error error;
};

/// catalog -> its subscribers: sent on subscribing and whenever the catalog changes.
struct catalog_changed {
  model::catalog_snapshot snapshot;
};

/// region_ranking -> catalog, geoip_watch; front -> catalog: what their news made worthless.
/// Destroying the message frees it, which must not happen on an event loop.
struct discarded {
  std::shared_ptr<const void> what;
};

/// catalog -> fronts, bookkeeping and supervisor: sent on subscribing and whenever tokens change.
/// blocking pool -> catalog: a poll found that they moved.
struct tokens_changed {
  model::token_snapshot tokens;
};

/// bookkeeping -> bookkeeping, at every tick.
struct keep_books {};

/// blocking pool -> bookkeeping: the books are kept until the next tick.
struct books_kept {};

/// repeated_task -> repeated_task, at every interval.
struct repeat_task {};

/// blocking pool -> repeated_task: a run is over.
struct task_ended {};

/// geoip_watch -> its subscribers: sent on subscribing and whenever GeoIP files were replaced.
struct geoip_changed {
  std::shared_ptr<const store::geoip> geoip;
};

/// catalog -> avatar shards: the lists that another process or thread changed.
struct avatars_changed {
  std::shared_ptr<const store::moved_games> moved;
};

/// supervisor -> catalog, geoip_watch: the actors to send changes to from now on.
struct subscribers {
  /// Subscribers to changes of what the receiver owns.
  std::vector<caf::actor> members;
  /// Subscribers to changes of avatar lists; for the catalog only.
  std::vector<caf::actor> avatar_shards = {};
  /// Subscribers to changes of tokens; for the catalog only.
  std::vector<caf::actor> token_holders = {};
};

/// catalog -> catalog, at every poll interval.
struct poll_store {};

/// blocking pool -> catalog: the result of a poll. A null `snapshot`: the catalog did not move.
struct store_polled {
  model::catalog_snapshot snapshot;
  /// Games whose avatars moved; null if none did.
  std::shared_ptr<const store::moved_games> avatars;
  /// Set if the store could not be read; the old snapshot stays in force.
  std::shared_ptr<const base::error> failure;
};

/// geoip_watch -> geoip_watch, at every poll interval.
struct look_at_geoip {};

/// blocking pool -> geoip_watch: the files in force after a look at them.
struct geoip_looked {
  std::shared_ptr<const store::geoip> in_force;
};

/// supervisor -> front: the owners' current addresses, by `index_of` each. An empty handle: the
/// owner is being restarted. Exchanges that wait for an owner whose address changed are dispatched
/// again.
struct owners {
  std::vector<caf::actor> by_role;
};

/// supervisor -> supervisor: the backoff of the child with this index is over.
struct restart_child {
  std::size_t child = 0;
};

/// Any actor -> itself: a message that an injected fault holds back.
struct held_message {
  /// The receiver. Null: the message only signals that the next delayed news is due.
  caf::actor to;
  /// The sender to deliver the message with; null for none.
  caf::strong_actor_ptr from;
  caf::message what;
  base::fault_point at{};
  /// The rule that stalls the message; 0 if it is only delayed.
  std::uint32_t stalled_by = 0;
};

/// supervisor -> supervisor, during restart storms: checks whether they are over.
struct look_for_calm {};

/// app -> supervisor: ends all actors, then the supervisor itself.
struct stop_all {};

} // namespace matchcloud::actors
