#pragma once

#include "actors/request/ticket.hpp"
#include "base/byte_budget.hpp"
#include "base/permit.hpp"
#include "http/wire/request.hpp"

#include <cstddef>
#include <memory>

namespace matchcloud::http {

/// A request with what it occupies of its transport's limits. Messages to actors share it; the last
/// holder releases what it occupies. A client that disconnects therefore frees no capacity before
/// its request is gone. Once it is dispatched, only its ticket may change, until nobody else holds
/// it.
class admitted_request final : public request, public actors::ticket {
public:
  /// Covers head and body.
  base::byte_lease lease;
  base::permit permit;

  /// Resets to a fresh request, as `request::clear` does.
  void recycle(std::size_t retain_bytes) {
    clear(retain_bytes);
    lease.reset();
    permit.reset();
    renew();
  }
};

using request_ptr = std::shared_ptr<admitted_request>;

} // namespace matchcloud::http
