#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Names every owner: `WITH_POINTS(name)` if its requests and replies pass their own fault points,
/// otherwise `OTHER(name)`. To add an owner, add a row below and its name here.
#define MATCHCLOUD_OWNERS(WITH_POINTS, OTHER)                                                      \
  WITH_POINTS(validator)                                                                           \
  OTHER(large_validator)                                                                           \
  WITH_POINTS(region_ranking)                                                                      \
  WITH_POINTS(media)                                                                               \
  WITH_POINTS(avatar)                                                                              \
  WITH_POINTS(lobby_export)                                                                        \
  WITH_POINTS(export_download)                                                                     \
  WITH_POINTS(latency_map)                                                                         \
  WITH_POINTS(ingestion)                                                                           \
  WITH_POINTS(administration)                                                                      \
  OTHER(fault_control)                                                                             \
  OTHER(reports)

#define MATCHCLOUD_NO_OWNER(name)

namespace matchcloud::base {

/// News that actors receive at their start and at every change; a set of news is a sum.
namespace news {
inline constexpr std::uint8_t catalog = 1;
inline constexpr std::uint8_t tokens = 2;
inline constexpr std::uint8_t geoip = 4;
inline constexpr std::uint8_t latencies = 8;
} // namespace news

/// Where owners live.
enum class owner_home : std::uint8_t {
  /// One on each event loop, including the loop of the ops plane.
  loops,
  /// One on the actors' pool.
  pool,
  /// One on the actors' pool, for the ops plane alone.
  pool_of_ops,
};

/// An actor that owns what requests need; fronts forward each operation to one owner. Its row is
/// the source for configuration, limits, fault points, metrics and reports.
struct owner_row {
  owner_home home = owner_home::pool;
  /// The `news` that it receives.
  std::uint8_t hears = 0;
  /// The `news` that it publishes.
  std::uint8_t tells = 0;
  /// The limit on requests that wait for it, per event loop: default, least and most of the key
  /// `mailbox-NAME`, and a sentence about what waits.
  std::size_t mailbox = 1'024;
  std::size_t least_mailbox = 1;
  std::size_t most_mailbox = 1'000'000;
  std::string_view what_waits;
  /// What happens at its fault points, as sentences.
  std::string_view receives = {};
  std::string_view replies = {};
  /// The name of its place in reports, if it differs from its own name.
  std::string_view place = {};
};

namespace owner_rows {

inline constexpr owner_row validator{
    .home = owner_home::loops,
    .hears = news::catalog,
    .mailbox = 4'096,
    .what_waits = "Requests that wait for the event loop's validator; beyond: 503.",
    .receives = "A validator gets a payload.",
    .replies = "A validator sends its findings."};

/// Validates bodies over `large_body_bytes`, and those with more findings than
/// `brief_findings_limit`, on the actors' pool.
inline constexpr owner_row large_validator{
    .hears = news::catalog,
    .mailbox = 256,
    .what_waits =
        "Requests per event loop that wait for the validator of payloads that take long; beyond: "
        "503.",
    .place = "validator/large"};

inline constexpr owner_row region_ranking{
    .home = owner_home::loops,
    .hears = news::catalog + news::geoip + news::latencies,
    .mailbox = 4'096,
    .what_waits = "Requests that wait for the event loop's region ranking; beyond: 503.",
    .receives = "A region_ranking gets a client's address.",
    .replies = "A region_ranking sends a listing."};

inline constexpr owner_row media{.home = owner_home::loops,
                                 .mailbox = 4'096,
                                 .what_waits =
                                     "Requests that wait for the event loop's images; beyond: 503.",
                                 .receives = "A media actor is asked for an image.",
                                 .replies = "A media actor sends an opened image."};

inline constexpr owner_row avatar{
    .home = owner_home::loops,
    .hears = news::catalog,
    .mailbox = 2'048,
    .what_waits = "Requests that wait for the event loop's avatar lists; beyond: 503.",
    .receives = "An avatar actor is asked for a game's list.",
    .replies = "An avatar actor sends a game's list."};

inline constexpr owner_row lobby_export{
    .hears = news::catalog,
    .what_waits = "Requests per event loop that wait for exports; beyond: 503.",
    .receives = "The export actor is asked for an export.",
    .replies = "The export actor sends an export's URL."};

inline constexpr owner_row export_download{
    .what_waits = "Requests per event loop that wait for downloads of exports; beyond: 503.",
    .receives = "The download actor is asked for an export.",
    .replies = "The download actor sends an opened export."};

inline constexpr owner_row latency_map{
    .hears = news::catalog + news::geoip,
    .tells = news::latencies,
    .what_waits = "Reports of latencies per event loop that wait to be learned; beyond: 503.",
    .receives = "The latency map gets what a client measured.",
    .replies = "The latency map says what became of a report, or tells rankings what it knows."};

// Owners of the ops plane.

inline constexpr owner_row ingestion{
    .home = owner_home::pool_of_ops,
    .hears = news::tokens,
    .mailbox = 256,
    .most_mailbox = 1'024,
    .what_waits =
        "Ingests of lobbies at once, from the head of the request to its answer, each with lines "
        "of up to 2 MiB in memory; beyond: 503.",
    .receives = "The ingestion actor is asked to take lobbies.",
    .replies = "The ingestion actor says what became of lobbies."};

inline constexpr owner_row administration{
    .home = owner_home::pool_of_ops,
    .mailbox = 64,
    .most_mailbox = 1'024,
    .what_waits = "Requests about elements of the catalog that wait for the store; beyond: 503.",
    .receives = "The administration actor is asked for a part of the catalog or to change it.",
    .replies = "The administration actor says what became of the catalog."};

inline constexpr owner_row fault_control{.home = owner_home::pool_of_ops,
                                         .mailbox = 64,
                                         .most_mailbox = 1'024,
                                         .what_waits =
                                             "Requests about faults that wait; beyond: 503."};

/// A watcher of the status holds its place until it leaves.
inline constexpr owner_row reports{
    .home = owner_home::pool_of_ops,
    .mailbox = 1'200,
    .least_mailbox = 16,
    .most_mailbox = 100'000,
    .what_waits =
        "Requests that wait for a report, and watchers of the status, who have at most fifteen "
        "sixteenths of it; beyond: 503."};

} // namespace owner_rows

#define MATCHCLOUD_ENUMERATOR(name) name,
#define MATCHCLOUD_NAME(name) #name,
#define MATCHCLOUD_ROW(name) owner_rows::name,

enum class owner : std::uint8_t {
  /// The front responds by itself, without waiting for another actor.
  none,
  MATCHCLOUD_OWNERS(MATCHCLOUD_ENUMERATOR, MATCHCLOUD_ENUMERATOR)
};

/// The name (empty for none) and the row of each owner, by its number.
inline constexpr std::array owner_names =
    std::to_array<std::string_view>({"", MATCHCLOUD_OWNERS(MATCHCLOUD_NAME, MATCHCLOUD_NAME)});
inline constexpr std::size_t owner_count = owner_names.size();
inline constexpr std::array<owner_row, owner_count> owner_table{
    owner_row{}, MATCHCLOUD_OWNERS(MATCHCLOUD_ROW, MATCHCLOUD_ROW)};

#undef MATCHCLOUD_ENUMERATOR
#undef MATCHCLOUD_NAME
#undef MATCHCLOUD_ROW

constexpr std::size_t index_of(owner which) noexcept {
  return static_cast<std::size_t>(which);
}

constexpr const owner_row& row_of(owner which) noexcept {
  return owner_table[index_of(which)];
}

constexpr std::string_view name_of(owner which) noexcept {
  return owner_names[index_of(which)];
}

/// The limit on waiting requests for each owner, and its default.
using mailbox_limits = std::array<std::size_t, owner_count>;
inline constexpr mailbox_limits default_mailboxes = [] {
  mailbox_limits all{};
  for (std::size_t i = 0; i < owner_count; ++i)
    all[i] = owner_table[i].mailbox;
  return all;
}();

} // namespace matchcloud::base
