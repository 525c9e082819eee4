#pragma once

#include "actors/ticket.hpp"
#include "base/byte_budget.hpp"
#include "base/permit.hpp"
#include "http/wire/request.hpp"

#include <cstddef>
#include <memory>

namespace matchcloud::http {

/// A request with what it holds of its transport's bounds. Messages to actors share it: whoever
/// lets go of it last gives the bounds back, so that a client that is gone does not make room
/// before its request is.
class admitted_request final : public request, public actors::ticket {
public:
  /// Covers head and body.
  base::byte_lease lease;
  base::permit permit;

  /// Back to a fresh request, as `request::clear`.
  void recycle(std::size_t retain_bytes) {
    clear(retain_bytes);
    lease.reset();
    permit.reset();
    renew();
  }
};

using request_ptr = std::shared_ptr<const admitted_request>;

} // namespace matchcloud::http
