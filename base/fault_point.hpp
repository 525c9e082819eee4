#pragma once

#include "base/owner.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::base {

/// What an injected fault does.
enum class fault_kind : std::uint8_t {
  /// No fault: the pass proceeds normally.
  none,
  /// The operation takes longer: a fixed time, or a random one between two bounds.
  delay,
  /// The operation fails in a way in which it can really fail.
  error,
  /// The operation is silently skipped.
  drop,
  /// The actor dies.
  crash,
  /// The process dies without cleaning up.
  abort,
  /// Only a part of the data is written.
  short_write,
  /// Bytes are changed; at the point `clock`, the time.
  corrupt,
  /// The operation does not happen until the fault is cleared.
  stall,
  /// The operation fails because the disk is full.
  full,
};
inline constexpr std::array<std::string_view, 10> fault_kind_names{
    "none", "delay", "error", "drop", "crash", "abort", "short-write", "corrupt", "stall", "full"};

constexpr std::string_view name_of(fault_kind which) noexcept {
  return fault_kind_names[static_cast<std::size_t>(which)];
}

/// What a rule can select passes by, besides their number. Each point knows only some of these.
enum class fault_choice : std::uint8_t {
  /// The request's `X-Fault` header.
  header,
  /// The game that the request is about.
  game,
  /// The client's address.
  client,
  /// The token that the request was admitted with.
  token,
  /// The number of the connection.
  connections,
};
/// Their names in rules.
inline constexpr std::array<std::string_view, 5> fault_choice_names{"header", "game", "client",
                                                                    "token", "connections"};

/// A set of values of an enumeration that has at most 32.
template <class Enum>
class fault_set {
public:
  template <class... Members>
  constexpr explicit fault_set(Members... members) noexcept : bits_{(0U | ... | bit(members))} {}
  constexpr bool has(Enum which) const noexcept { return (bits_ & bit(which)) != 0; }

private:
  static constexpr std::uint32_t bit(Enum which) noexcept {
    return 1U << static_cast<unsigned>(which);
  }
  std::uint32_t bits_;
};
using fault_kinds = fault_set<fault_kind>;
using fault_choices = fault_set<fault_choice>;

/// The points where faults can be injected. `fault_points` describes each.
enum class fault_point : std::uint8_t {
  accept,
  read,
  write,
  frame,
  front_dispatch,
  front_reply,
#define MATCHCLOUD_POINTS(name) name##_receive, name##_reply,
  MATCHCLOUD_OWNERS(MATCHCLOUD_POINTS, MATCHCLOUD_NO_OWNER)
#undef MATCHCLOUD_POINTS
      catalog_receive,
  catalog_reply,
  geoip_watch_receive,
  geoip_watch_reply,
  supervisor_receive,
  supervisor_reply,
  store_open,
  store_read,
  store_write,
  store_commit,
  geoip_lookup,
  geoip_reload,
  export_write,
  export_sync,
  export_rename,
  bucket_request,
  clock,
};

struct fault_point_facts {
  /// The name used in configuration and URLs.
  std::string_view name;
  /// A description, for people, of what happens at the point.
  std::string_view sentence;
  fault_kinds kinds;
  /// What the point knows about the request or connection that passes.
  fault_choices knows;
  /// The point's place on a request's path: `connection`, `front`, `actor`, `background`, `store`,
  /// `geoip`, `file`, `bucket` or `clock`.
  std::string_view group;

  /// Whether the point knows the request, so that the request's `X-Fault` header can select it.
  constexpr bool of_a_request() const noexcept { return knows.has(fault_choice::header); }
};

namespace fault_sets {
using enum fault_kind;
/// A request on its way to an actor, or its reply on the way back.
inline constexpr fault_kinds message{delay, error, drop, crash, abort, stall};
/// News between actors. No fault drops it, because it is not resent until there is newer news.
inline constexpr fault_kinds news{delay, crash, abort};
/// A message other than a request wakes an actor.
inline constexpr fault_kinds wake{crash, abort};
/// A blocking call, on a thread that may wait.
inline constexpr fault_kinds call{delay, error, abort, stall};
/// As above, and it needs space on the disk.
inline constexpr fault_kinds writing_call{delay, error, abort, stall, full};

inline constexpr fault_choices nothing{};
inline constexpr fault_choices peer{fault_choice::client, fault_choice::connections};
/// A request that no front has admitted yet.
inline constexpr fault_choices arriving{fault_choice::header, fault_choice::client,
                                        fault_choice::connections};
inline constexpr fault_choices request{fault_choice::header, fault_choice::game,
                                       fault_choice::client, fault_choice::token,
                                       fault_choice::connections};
} // namespace fault_sets

/// All points, in the order of `fault_point`.
inline constexpr std::array fault_points{
    fault_point_facts{"accept",
                      "A connection is taken from a listener of an event loop. Held up or failing, "
                      "it waits there with all behind it.",
                      fault_kinds{fault_kind::delay, fault_kind::error, fault_kind::drop,
                                  fault_kind::abort, fault_kind::stall},
                      fault_sets::nothing, "connection"},
    fault_point_facts{"read", "A connection of an event loop reads from its socket.",
                      fault_kinds{fault_kind::delay, fault_kind::error, fault_kind::corrupt,
                                  fault_kind::abort, fault_kind::stall},
                      fault_sets::peer, "connection"},
    fault_point_facts{"write", "A connection of an event loop writes to its socket.",
                      fault_kinds{fault_kind::delay, fault_kind::error, fault_kind::short_write,
                                  fault_kind::corrupt, fault_kind::abort, fault_kind::stall},
                      fault_sets::peer, "connection"},
    fault_point_facts{"frame", "Bytes that a connection read are framed as requests.",
                      fault_kinds{fault_kind::error, fault_kind::corrupt, fault_kind::abort},
                      fault_sets::peer, "connection"},
    fault_point_facts{"front.dispatch", "A front gets a request from its transport.",
                      fault_sets::message, fault_sets::arriving, "front"},
    fault_point_facts{"front.reply", "A front gets an owner's reply to a request.",
                      fault_sets::message, fault_sets::request, "front"},
#define MATCHCLOUD_POINTS(name)                                                                    \
  fault_point_facts{#name ".receive", owner_rows::name.receives, fault_sets::message,              \
                    fault_sets::request, "actor"},                                                 \
      fault_point_facts{#name ".reply", owner_rows::name.replies, fault_sets::message,             \
                        fault_sets::request, "actor"},
    MATCHCLOUD_OWNERS(MATCHCLOUD_POINTS, MATCHCLOUD_NO_OWNER)
#undef MATCHCLOUD_POINTS
        fault_point_facts{"catalog.receive",
                          "The catalog actor hears what a poll of the store found.",
                          fault_sets::wake, fault_sets::nothing, "background"},
    fault_point_facts{"catalog.reply", "The catalog actor tells its subscribers of a new catalog.",
                      fault_sets::news, fault_sets::nothing, "background"},
    fault_point_facts{"geoip_watch.receive", "The GeoIP watch hears how the files look.",
                      fault_sets::wake, fault_sets::nothing, "background"},
    fault_point_facts{"geoip_watch.reply", "The GeoIP watch tells its subscribers of new files.",
                      fault_sets::news, fault_sets::nothing, "background"},
    fault_point_facts{"supervisor.receive", "The supervisor hears that an actor ended.",
                      fault_sets::wake, fault_sets::nothing, "background"},
    fault_point_facts{"supervisor.reply", "The supervisor tells fronts and others who is where.",
                      fault_sets::news, fault_sets::nothing, "background"},
    fault_point_facts{"store.open", "A connection to the store is opened.", fault_sets::call,
                      fault_sets::nothing, "store"},
    fault_point_facts{"store.read", "Reading rows of the store begins.", fault_sets::call,
                      fault_choices{fault_choice::game}, "store"},
    fault_point_facts{"store.write", "A transaction that changes the store begins.",
                      fault_sets::writing_call, fault_sets::nothing, "store"},
    fault_point_facts{"store.commit", "A transaction that changed the store is committed.",
                      fault_sets::writing_call, fault_sets::nothing, "store"},
    fault_point_facts{"geoip.lookup", "A client's address is looked up; failing, it is unknown.",
                      fault_kinds{fault_kind::error, fault_kind::abort}, fault_sets::nothing,
                      "geoip"},
    fault_point_facts{"geoip.reload", "A replaced GeoIP file is read.",
                      fault_kinds{fault_kind::delay, fault_kind::error, fault_kind::corrupt,
                                  fault_kind::abort, fault_kind::stall},
                      fault_sets::nothing, "geoip"},
    fault_point_facts{"export.write", "Bytes of an export are written to its file.",
                      fault_kinds{fault_kind::delay, fault_kind::error, fault_kind::short_write,
                                  fault_kind::abort, fault_kind::stall, fault_kind::full},
                      fault_sets::nothing, "file"},
    fault_point_facts{"export.sync", "An export's file or folder is synced to disk.",
                      fault_sets::call, fault_sets::nothing, "file"},
    fault_point_facts{"export.rename", "A finished export, plain or compressed, gets its name.",
                      fault_sets::call, fault_sets::nothing, "file"},
    fault_point_facts{"bucket.request",
                      "The bucket is asked to store, read, list or remove an object.",
                      fault_sets::call, fault_sets::nothing, "bucket"},
    fault_point_facts{
        "clock",
        "The time of day is read: a delay of up to ten years sets it ahead by that, "
        "corrupting makes it wrong by up to an hour either way. Deadlines use another "
        "clock.",
        fault_kinds{fault_kind::delay, fault_kind::corrupt}, fault_sets::nothing, "clock"},
};
inline constexpr std::size_t fault_point_count = fault_points.size();
static_assert(fault_point_count == static_cast<std::size_t>(fault_point::clock) + 1);
static_assert(fault_point_count <= 64, "a set of points is 64 bits");

constexpr const fault_point_facts& facts_of(fault_point which) noexcept {
  return fault_points[static_cast<std::size_t>(which)];
}

/// Finds a point by its name.
constexpr std::optional<fault_point> find_fault_point(std::string_view name) noexcept {
  for (std::size_t i = 0; i < fault_points.size(); ++i)
    if (fault_points[i].name == name) return static_cast<fault_point>(i);
  return std::nullopt;
}

/// A set of points, one bit each.
using fault_point_set = std::uint64_t;

constexpr fault_point_set bit_of(fault_point which) noexcept {
  return fault_point_set{1} << static_cast<unsigned>(which);
}

} // namespace matchcloud::base
