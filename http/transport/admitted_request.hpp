#pragma once

#include "actors/request/ticket.hpp"
#include "base/byte_budget.hpp"
#include "base/crypto/sha256.hpp"
#include "base/error.hpp"
#include "base/permit.hpp"
#include "base/rate_policy.hpp"
#include "http/operations/list.hpp"
#include "http/wire/request.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/uuid.hpp"

#include <tl/expected.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

/// The body of one request on its way to its owner in parts. Nothing is read without credit, which
/// the owner grants as it uses parts up, so a request holds at most `credit_limit_bytes`. Loop
/// thread only.
class body_upload {
public:
  /// The most bytes in one part.
  static constexpr std::size_t part_limit_bytes = 64UL * 1024;
  /// Fewer bytes wait for more to arrive, so that a client that sends single bytes causes no more
  /// messages than others.
  static constexpr std::size_t part_least_bytes = part_limit_bytes / 2;
  /// The most credit at once: bytes of the body that are in memory here, on the way or at the
  /// owner.
  static constexpr std::size_t credit_limit_bytes = 256UL * 1024;

  struct part {
    /// The position of its first byte in the body.
    std::uint64_t offset = 0;
    std::shared_ptr<const std::string> bytes;
  };

  /// Where the framer puts the body's bytes.
  admitted_request& into() noexcept { return into_; }

  /// How many bytes of the connection may be read now; 0 while the owner grants no credit.
  std::size_t room() const noexcept {
    const auto held = into_.body.size();
    if (is_whole_ || credit_ <= held) return 0;
    return std::min(credit_ - held, part_limit_bytes - std::min(held, part_limit_bytes));
  }
  void grant(std::size_t bytes) noexcept {
    has_begun_ = true;
    credit_ = std::min(credit_ + bytes, credit_limit_bytes);
  }
  /// The owner has granted credit and may therefore have parts of the body.
  bool has_begun() const noexcept { return has_begun_; }
  /// The last byte of the body has arrived.
  bool is_whole() const noexcept { return is_whole_; }
  void set_whole() noexcept { is_whole_ = true; }

  /// The next part to send, if it is large enough, the last one, or all that the credit allows.
  std::optional<part> take() {
    auto& body = into_.body;
    if (!is_whole_ && body.size() < part_least_bytes && room() > 0) return std::nullopt;
    if (!is_whole_ && body.empty()) return std::nullopt;
    struct held_bytes {
      std::string text;
      base::byte_lease lease;
    };
    auto held = std::make_shared<held_bytes>();
    held->text.swap(body);
    held->lease = std::move(into_.lease);
    const auto size = held->text.size();
    const part next{offset_, {held, &held->text}};
    offset_ += size;
    credit_ -= std::min(credit_, size);
    return next;
  }

private:
  /// Only its body and its lease are used.
  admitted_request into_;
  /// Bytes that the owner still accepts, including those in `into_`.
  std::size_t credit_ = 0;
  std::uint64_t offset_ = 0;
  bool has_begun_ = false;
  bool is_whole_ = false;
};

/// Why a request is not forwarded to an owner.
struct refused_request {
  /// The operation that it is counted as.
  operation which = operation::unmatched;
  base::error why = {};
  /// Further complete header lines of the answer.
  std::string headers = {};
  /// The rate limit that the request exceeds; empty: none.
  std::string violated_policy = {};
};

/// The verdict on a request whose head is complete and whose body has not arrived: the row of its
/// operation, which says how the body is read, or a refusal.
using head_verdict = tl::expected<const operation_row*, refused_request>;

/// Checks requests by their heads, with the front's rules, so that the transport does not wait for
/// unwanted bodies. Identifies clients as the front does. `by` is what was found out about the
/// client of `head`, and gets what is found out now. The transport's thread.
class head_rules {
public:
  virtual ~head_rules() = default;
  /// `length`: the announced size of the body in bytes; 0 if it arrives in chunks.
  virtual head_verdict judge(const request& head, caller_facts& by, std::uint64_t length) = 0;
  /// The address of the client that sent the request: its peer's, or the one that a trusted proxy
  /// names.
  virtual model::ip_address client_of(const request& head, caller_facts& /*by*/) {
    return head.peer;
  }
  /// A hash of the request's token, or of token and address where clients share a token; 0 without
  /// a known token.
  virtual std::uint64_t token_key(const request& /*head*/, caller_facts& /*by*/) { return 0; }
  /// Charges a TLS handshake to its client's rate limit, before it costs a signature. False: the
  /// client is over it.
  virtual bool admit_handshake(const model::ip_address& /*client*/) { return true; }
};

} // namespace matchcloud::http
