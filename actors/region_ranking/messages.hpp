#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/group_ranking.hpp"
#include "model/regions/measured_latency.hpp"
#include "model/regions/region_listing.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// What a listing contains about regions in addition to the usual members.
struct listing_details {
  bool latency = false;
  bool ping_url = false;
  /// How the listing came about. See `client_from`.
  bool explain = false;

  bool any() const noexcept { return latency || ping_url || explain; }
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
  /// Whether the client accepts gzip.
  bool gzip = false;
  listing_details details = {};
  /// The source of the client's address, for explanations: a header, or `connection`. Has static
  /// storage duration.
  std::string_view client_from = {};
  ticket_ptr ticket = {};
};

/// front -> region_ranking: up to 16 requests that arrived together. Answered like single
/// `rank_regions`, each by `regions_ranked` or all together by `many_ranked`.
struct rank_many {
  std::vector<rank_regions> all;
};

/// How the place of a client was determined.
enum class place_source : std::uint8_t {
  address,
  coordinates,
  /// The place configured for unknown clients.
  fallback,
  unknown,
};
inline constexpr std::array<std::string_view, 4> place_source_names{"address", "coordinates",
                                                                    "fallback", "unknown"};

constexpr std::string_view name_of(place_source which) noexcept {
  return place_source_names[static_cast<std::size_t>(which)];
}

/// front -> region_ranking: an operator requests the listing of a client, or of a place. Answered
/// with `json_made`, or `operation_failed` with `element_not_found`.
struct explain_ranking {
  exchange_ref exchange;
  /// Used if there is no `at`.
  model::ip_address client;
  std::optional<model::coordinates> at;
  std::optional<model::uuid> namespace_id;
  ticket_ptr ticket = {};
};

/// front -> region_ranking: regions for a group of players. Answered with `json_made`.
struct rank_group {
  exchange_ref exchange;
  model::group_request group;
  /// As in `rank_regions`.
  std::string origin_host;
  std::optional<model::uuid> namespace_id = {};
  ticket_ptr ticket = {};
};

/// region_ranking -> front: the listing, shared by all requests with the same answer.
struct regions_ranked {
  exchange_ref exchange;
  std::shared_ptr<const model::region_listing> listing;
  /// The compressed listing, cached for all clients that accept gzip; null for clients that do not,
  /// or if it is not cached.
  std::shared_ptr<const std::string> gzip = {};
  /// The JSON of a listing with details; then there is no `listing`.
  std::shared_ptr<const std::string> detailed = {};
};

/// region_ranking -> front: answers to requests that arrived together.
struct many_ranked {
  std::vector<regions_ranked> all;
};

} // namespace matchcloud::actors
