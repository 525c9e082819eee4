#pragma once

#include "actors/protocol.hpp"
#include "actors/request_trace.hpp"
#include "actors/resident.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/kept_lists.hpp"
#include "http/front/routes.hpp"
#include "http/transport/exchange.hpp"
#include "http/wire/request.hpp"
#include "model/text/uuid.hpp"
#include "model/validation/schema.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// Matches a request's route, forwards it as a message to the actor that owns the answer, and turns
/// the reply into a response. One per event loop, resident on it; with the httplib transport, one
/// on the pool. It keeps no state about exchanges: the transport owns them. It keeps avatar lists
/// that their shards offer, and answers with them itself. What the two planes have in common;
/// `data_front` and `ops_front` know their operations.
class front : public actors::resident {
public:
  /// How many requests that wait are performed together, at most.
  static constexpr std::size_t requests_at_once = 16;

  /// `sink` must outlive the actor. `gate` is shared with the transport's rules and used on the
  /// front's thread; null: one of its own, which knows no token and has no rate limits.
  front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings, exchange_sink& sink,
        std::shared_ptr<access_gate> gate = nullptr);

  const char* name() const override { return "front"; }

protected:
  /// Performs the operation of a request that passed the checks of its head.
  virtual void perform(const dispatch& dispatched, const route& where) = 0;
  /// Answers a preflight, or OPTIONS otherwise.
  virtual void preflight(const dispatch& dispatched, const route& where) = 0;
  /// Requests that waited together have been performed, as far as the front could.
  virtual void end_requests() {}
  /// Whether the fault points of fronts are passed. Those of the ops plane pass none: otherwise no
  /// fault could be removed.
  bool has_fault_points() const noexcept { return settings_->plane == plane::data; }

  /// Sets the handlers of system messages. Call this first in `make_behavior`.
  void be_front();
  /// Handlers for `make_behavior`.
  auto taking_requests() {
    return [this](requests_wait) -> actors::no_response {
      take_requests();
      return {};
    };
  }
  auto dispatching() {
    return [this](const dispatch& dispatched) -> actors::no_response {
      on(dispatched);
      return {};
    };
  }
  auto knowing_tokens() {
    return [this](const actors::tokens_changed& news) { gate_->set_tokens(news.tokens); };
  }
  /// The domains that namespaces registered, by which pages are told apart.
  auto knowing_domains() {
    return [this](const actors::catalog_changed& news) {
      auto old = gate_->set_catalog(news.snapshot);
      if (old)
        send(caf::actor_cast<caf::actor>(current_sender()), actors::discarded{std::move(old)});
    };
  }
  auto knowing_owners() {
    return [this](const actors::owners& known) { on(known); };
  }
  /// A handler for an owner's replies: passes the fault point `front.reply` and answers the
  /// exchange with `make(exchange, reply)`.
  template <class Reply, class Make>
  auto answering(Make make) {
    return [this, make](const Reply& reply) -> actors::no_response {
      answer_with(reply, make);
      return {};
    };
  }
  /// Does what a handler made by `answering` does. An rvalue is used up.
  template <class Reply, class Make>
  void answer_with(Reply&& reply, const Make& make) {
    const auto to = reply.exchange;
    auto exchange = sink_->find(to);
    if (!exchange) return; // already answered, or a later attempt is under way
    claim(exchange.request, actors::handler::front);
    if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange))
      return release(exchange.request, actors::handler::front, actors::handler::past_owner);
    auto answer = [&] {
      const actors::traced_step step{exchange.request->trace, "front"};
      return make(exchange, std::forward<Reply>(reply));
    }();
    keep_trace(*exchange.request, exchange.operation_id, answer.status);
    exchange.request.reset(); // a transport reuses requests that nobody else holds
    sink_->answer(to, std::move(answer));
  }
  auto answering_failures() {
    return answering<actors::operation_failed>(
        [this](const open_exchange& exchange, const actors::operation_failed& reply) {
          return failure_answer(exchange, reply.error);
        });
  }
  auto answering_json() {
    return answering<actors::json_made>(
        [this](const open_exchange& exchange, const actors::json_made& reply) {
          if (reply.offer && reply.offer->stands()) lists_.keep(reply.offer);
          if (!reply.offer && reply.json)
            gate_->charge_answer(*exchange.request, exchange.operation_id, reply.json->size());
          return json_answer(reply);
        });
  }
  auto deferring_validation() {
    return [this](const actors::validation_deferred& reply) -> actors::no_response {
      on(reply);
      return {};
    };
  }
  auto answering_images() {
    return answering<actors::media_opened>(
        [](const open_exchange& exchange, const actors::media_opened& reply) {
          return image_answer(exchange, reply);
        });
  }
  auto answering_downloads() {
    return answering<actors::export_opened>(
        [](const open_exchange& exchange, const actors::export_opened& reply) {
          return export_answer(exchange, reply);
        });
  }
  static http::response json_answer(const actors::json_made& reply);
  static http::response image_answer(const open_exchange& exchange,
                                     const actors::media_opened& reply);
  static http::response export_answer(const open_exchange& exchange,
                                      const actors::export_opened& reply);
  http::response failure_answer(const open_exchange& exchange, const base::error& why) const;
  /// Stops monitoring the owners: they outlive the front and would keep its monitors.
  void on_exit() override;

  /// The path parameter with that index. Where it is not a UUID, answers with a problem.
  std::optional<model::uuid> read_id(const dispatch& dispatched, const route& where,
                                     std::size_t number);
  /// Whether the operation accepts the body's type and size; if not, answers with a problem.
  bool check_body(const dispatch& dispatched, const operation_row& row);

  /// Sends `message` to an owner. While the owner is being restarted, the exchange waits for it.
  template <class Message>
  void forward(const dispatch& dispatched, operation which, actors::owner to, Message&& message) {
    if (!enter_mailbox(dispatched, which, to)) return;
    const auto& address = owner_at(to);
    if (address) send(address, std::forward<Message>(message));
  }
  /// Answers with a problem; `headers` are additional whole lines.
  void fail(const dispatch& dispatched, operation which, const base::error& what,
            std::string headers = {}, std::string_view violated_policy = {});
  /// Answers without an owner.
  void answer(const dispatch& dispatched, operation which, http::response&& with);
  /// Answers with bytes that never change; null: 404, as if there were no such path.
  void answer_static(const dispatch& dispatched, operation which,
                     const std::shared_ptr<const static_content>& content,
                     std::string_view fixed_headers);

  // -- operations that both planes have ---------------------------------------

  /// `game_id`: the game that must exist.
  void validate(const dispatch& dispatched, const operation_row& row, model::payload_kind kind,
                const std::optional<model::uuid>& game_id);
  void list_avatars(const dispatch& dispatched, const route& where);
  void open_image(const dispatch& dispatched, const route& where);
  void export_lobbies(const dispatch& dispatched, const route& where);
  void open_export(const dispatch& dispatched, const route& where);

  const front_settings& settings() const noexcept { return *settings_; }
  exchange_sink& sink() const noexcept { return *sink_; }
  /// Whether the request that is performed came with others, so that `end_requests` will follow.
  bool takes_requests() const noexcept { return takes_requests_; }
  /// Notes whom the exchange waits for; answers it where the owner's mailbox is full.
  bool enter_mailbox(const dispatch& dispatched, operation which, actors::owner to);
  /// Empty while the owner is being restarted.
  const caf::actor& owner_at(actors::owner which) const noexcept {
    return owners_[index_of(which)];
  }

private:
  /// Keeps the trace of a request that is answered now, if it has one.
  void keep_trace(const admitted_request& of, operation which, int status) const;
  void take_requests();
  void on(const dispatch& dispatched);
  void on(const actors::owners& known);
  /// Sends a payload on to the large validator.
  void on(const actors::validation_deferred& reply);
  /// Passes the fault point `front.dispatch`. Whether the request goes on; an injected failure is
  /// answered.
  bool arrives(const dispatch& dispatched);
  void handle(const dispatch& dispatched);
  template <class Reply>
  bool arrives(const Reply& reply, const open_exchange& exchange) {
    return !has_fault_points() || arrives(reply.exchange, caf::make_message(reply), exchange);
  }
  bool arrives(actors::exchange_ref to, const caf::message& reply, const open_exchange& exchange);

  std::shared_ptr<const front_settings> settings_;
  exchange_sink* sink_;
  std::shared_ptr<access_gate> gate_;
  actors::trace_sampler traced_;
  kept_lists lists_;
  std::array<caf::actor, actors::owner_count> owners_;
  bool attached_ = false;
  bool takes_requests_ = false;
};

/// The answer to OPTIONS: 204 with `Allow`.
response no_content(std::string_view allow);

} // namespace matchcloud::http
