#pragma once

#include "actors/request/ticket.hpp"
#include "base/byte_budget.hpp"
#include "base/crypto/sha256.hpp"
#include "base/permit.hpp"
#include "base/rate_policy.hpp"
#include "http/wire/request.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace matchcloud::http {

/// What the access gate has found out about the client of a request, and has counted against its
/// limits. Only the thread that checks the request uses it: its transport's or its front's.
struct caller_facts {
  /// The client's address, once it was read from the peer and the headers.
  std::optional<model::ip_address> client;
  /// The digest of the bearer token, once it was looked up.
  std::optional<base::sha256_digest> token_digest;
  /// The token that the request was admitted with; all zeros: none.
  model::uuid token_id;
  /// The limit of its token that it was counted against: the subject (0: none) and the policy.
  std::uint64_t token_subject = 0;
  base::rate_policy token_policy = {};
  /// How many units its rate limits counted it as.
  std::uint32_t counted_units = 0;
  /// Whether the rate limits have counted the request.
  bool is_counted = false;
  /// Whether its address or token has used up more than half of a rate limit.
  bool is_noisy = false;
  /// Whether a rate limit refused it, and its connection is the client's own, not one that a proxy
  /// shares among many.
  bool is_over_limit = false;
};

/// A request with what it occupies of its transport's limits. Messages to actors share it; the last
/// holder releases what it occupies. A client that disconnects therefore frees no capacity before
/// its request is gone. Once it is dispatched, only its ticket and what is known of its caller may
/// change, until nobody else holds it.
class admitted_request final : public request, public actors::ticket {
public:
  /// Covers head and body.
  base::byte_lease lease;
  base::permit permit;
  caller_facts caller;

  /// Resets to a fresh request, as `request::clear` does.
  void recycle(std::size_t retain_bytes) {
    clear(retain_bytes);
    lease.reset();
    permit.reset();
    caller = {};
    renew();
  }
};

using request_ptr = std::shared_ptr<admitted_request>;

} // namespace matchcloud::http
