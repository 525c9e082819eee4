#pragma once

#include "base/error.hpp"
#include "http/operations/list.hpp"
#include "http/transport/admitted_request.hpp"
#include "model/net/ip_address.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <string>

namespace matchcloud::http {

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
  virtual head_verdict judge(const request& head, caller_facts& by, std::uint64_t length) const = 0;
  /// The address of the client that sent the request: its peer's, or the one that a trusted proxy
  /// names.
  virtual model::ip_address client_of(const request& head, caller_facts& /*by*/) const {
    return head.peer;
  }
  /// A hash of the request's token, or of token and address where clients share a token; 0 without
  /// a known token.
  virtual std::uint64_t token_key(const request& /*head*/, caller_facts& /*by*/) const { return 0; }
  /// Charges a TLS handshake to its client's rate limit. False: the client is over it.
  virtual bool admit_handshake(const model::ip_address& /*client*/) const { return true; }
};

} // namespace matchcloud::http
