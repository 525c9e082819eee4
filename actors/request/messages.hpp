#pragma once

#include "actors/request/message.hpp"
#include "base/error.hpp"
#include "base/fault_point.hpp"

#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// Names one attempt at one exchange of a transport. A reply for an attempt that is not the current
/// one, or for an exchange that is already answered, is dropped.
struct exchange_ref {
  std::uint64_t exchange = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const exchange_ref&, const exchange_ref&) = default;
};

/// validator, avatar, lobby_export -> front: the response body.
struct json_made {
  exchange_ref exchange;
  std::shared_ptr<const std::string> json;
  /// Whether the text holds its own lease of the byte budget, because many exchanges share it.
  bool is_leased = false;
  int status = 200;
};

/// reports -> front: the response body.
struct text_made {
  exchange_ref exchange;
  /// Has static storage duration.
  std::string_view content_type;
  std::shared_ptr<const std::string> text;
};

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

/// owner -> front -> transport: the owner accepts that many more bytes of the body. Without credit
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

/// transport -> front -> owner: the client accepted that many bytes of its answer's parts.
struct answer_taken {
  exchange_ref exchange;
  std::size_t bytes = 0;
};

/// Any owner -> front: the error that answers a request.
struct operation_failed {
  exchange_ref exchange;
  base::error error;
};

/// supervisor -> front: the owners' current addresses, by `index_of` each. An empty handle: the
/// owner is being restarted. Exchanges that wait for an owner whose address changed are dispatched
/// again.
struct owners {
  std::vector<caf::actor> by_role;
};

/// Any actor -> itself: a message that an injected fault holds back.
struct held_message {
  /// The receiver. Null: the message only signals that the next delayed news is due.
  caf::actor to;
  /// The sender to deliver the message with; null for none.
  caf::strong_actor_ptr from;
  caf::message what;
  base::fault_point at{};
  /// The rule that holds it back; 0 for news, which have their own times.
  std::uint32_t rule = 0;
  /// When a delayed message is due, by the actor's clock; `max`: it stalls.
  caf::actor_clock::time_point due = caf::actor_clock::time_point::max();
};

} // namespace matchcloud::actors
