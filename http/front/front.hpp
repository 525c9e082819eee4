#pragma once

#include "actors/media/messages.hpp"
#include "actors/news/messages.hpp"
#include "actors/region_ranking/messages.hpp"
#include "actors/reports/messages.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/resident.hpp"
#include "actors/request/trace_log.hpp"
#include "actors/validator/messages.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/routes.hpp"
#include "http/front/static_content.hpp"
#include "http/transport/exchange.hpp"
#include "http/wire/request.hpp"
#include "model/audit/audit.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// Matches a request's route and has its operation performed, which forwards it as a message to the
/// actor that owns the answer; turns the reply into a response. One per event loop, resident on it.
/// It keeps no state about exchanges: the transport owns them.
class front final : public actors::resident {
public:
  /// The largest number of queued requests that are performed together.
  static constexpr std::size_t requests_at_once = 16;

  /// `sink` must outlive the actor. `gate` is shared with the front's transport and used on
  /// the front's thread.
  front(caf::actor_config& cfg, exchange_sink& sink, std::shared_ptr<access_gate> gate);
  /// With a gate of its own, which knows no token and has no rate limits.
  front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings, exchange_sink& sink)
      : front{cfg, sink, std::make_shared<access_gate>(std::move(settings))} {}

  const char* name() const override { return "front"; }

protected:
  caf::behavior make_behavior() override;
  /// Stops monitoring the owners: they outlive the front and would keep its monitors.
  void on_exit() override;

private:
  /// What operations do with a request.
  friend class request_context;

  /// A handler for an owner's replies: passes the fault point `front.reply` and answers the
  /// exchange with `make(exchange, reply)`.
  template <class Reply, class Make>
  auto answering(Make make) {
    return [this, make](Reply& reply) -> actors::no_response {
      answer_with(std::move(reply), make);
      return {};
    };
  }
  /// Does what a handler made by `answering` does, and consumes the reply.
  template <class Reply, class Make>
  void answer_with(Reply&& reply, const Make& make) {
    const auto to = reply.exchange;
    auto exchange = sink_->find(to);
    if (!exchange) return; // already answered, or a later attempt is under way
    claim(exchange.request, actors::handler::front);
    if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange))
      return release(exchange.request, actors::handler::front, actors::handler::past_owner);
    auto answer = [&] {
      const actors::traced_step step{exchange.request.get(), "front"};
      return make(exchange, std::forward<Reply>(reply));
    }();
    exchange.request.reset(); // a transport reuses requests that nobody else holds
    sink_->answer(to, std::move(answer));
  }
  http::response answer_of(const open_exchange& exchange, const actors::json_made& reply);
  http::response answer_of(const open_exchange& exchange, actors::regions_ranked&& reply) const;
  http::response answer_of(const open_exchange& exchange, const actors::media_opened& reply) const;
  http::response answer_of(const open_exchange& exchange,
                           const actors::operation_failed& reply) const;
  /// A problem; `headers` are additional whole lines.
  http::response problem_of(const http::request& request, operation which, const base::error& what,
                            std::string headers = {}, std::string_view violated_policy = {}) const;
  http::response failure_answer(const open_exchange& exchange, const base::error& why) const {
    return problem_of(*exchange.request, exchange.operation_id, why);
  }
  /// The headers of every answer of the plane. Caches must not keep answers of the ops plane.
  std::string_view plane_headers() const noexcept;

  /// Whether requests pass the fault points of fronts. On the ops plane they pass none: otherwise
  /// no fault could be removed.
  bool has_fault_points() const noexcept { return settings().plane == plane::data; }
  /// Notes in a request's ticket which faults may hit it, by what is known of it so far.
  void choose_faults(admitted_request& request) const;
  /// Runs the code of the operation.
  void perform(const dispatch& dispatched, route& where);
  /// Whether this OPTIONS is a health check, which haproxy sends by default, and the service is not
  /// ready. Otherwise `preflight` answers OPTIONS.
  bool asks_readiness(const admitted_request& head, const operation_row& row) const;
  void preflight(const dispatch& dispatched, const operation_row& row);
  /// Sends `message` to an owner. While the owner is being restarted, the exchange waits for it.
  template <class Message>
  void forward(const dispatch& dispatched, operation which, base::owner to, Message&& message) {
    if (!enter_mailbox(dispatched, which, to)) return;
    const auto& address = owner_at(to);
    if (address) send(address, std::forward<Message>(message));
  }
  /// Sends the owner of an exchange a message about a body in parts.
  template <class Message>
  void pass_on(const Message& message) {
    const auto exchange = sink_->find(message.exchange);
    if (!exchange) return;
    if (const auto& address = owner_at(exchange.waits_for)) send(address, message);
  }
  template <class Message>
  bool tell(base::owner which, Message&& message) {
    const auto& address = owner_at(which);
    if (!address) return false;
    send(address, std::forward<Message>(message));
    return true;
  }
  /// Requests a listing. Listings for requests that were queued together are requested together.
  void rank(const dispatch& dispatched, actors::rank_regions&& message);
  void send_listings();
  void fail(const dispatch& dispatched, operation which, const base::error& what) {
    fail(dispatched, {which, what});
  }
  void fail(const dispatch& dispatched, const refused_request& refused);
  /// Answers without an owner.
  void answer(const dispatch& dispatched, operation which, http::response&& with);
  /// Notes which owner the exchange waits for; answers it if that owner's mailbox is full.
  bool enter_mailbox(const dispatch& dispatched, operation which, base::owner to);
  /// Empty while the owner is being restarted.
  const caf::actor& owner_at(base::owner which) const noexcept { return owners_[index_of(which)]; }
  void take_requests();
  void on(const dispatch& dispatched);
  void on(const actors::owners& known);
  void on(const actors::catalog_changed& news);
  /// Updates `ping_origins_` from the gate's catalog.
  void note_ping_origins();
  /// Sends a payload on to the large validator.
  void on(const actors::validation_deferred& reply);
  /// Passes the fault point `front.dispatch` and answers an injected failure. Returns whether the
  /// request continues.
  bool arrives(const dispatch& dispatched);
  void handle(const dispatch& dispatched);
  template <class Reply>
  bool arrives(const Reply& reply, const open_exchange& exchange) {
    return !has_fault_points() || arrives(reply.exchange, caf::make_message(reply), exchange);
  }
  bool arrives(actors::exchange_ref to, const caf::message& reply, const open_exchange& exchange);

  const front_settings& settings() const noexcept { return gate_->settings(); }

  exchange_sink* sink_;
  std::shared_ptr<access_gate> gate_;
  actors::trace_sampler sampled_;
  std::array<caf::actor, base::owner_count> owners_;
  /// See `request_context::ping_origins`; empty where there is no console.
  std::string ping_origins_;
  /// Listings to request together.
  std::vector<actors::rank_regions> listings_;
  bool attached_ = false;
  /// Whether the request being performed was queued with others.
  bool takes_requests_ = false;
};

/// A request that passed the checks of its head, for the code of its operation. The code reads it
/// and then answers, refuses or forwards it exactly once. Valid during that call, on the front's
/// thread.
class request_context {
public:
  request_context(front& by, const dispatch& dispatched, const route& where) noexcept
      : front_{&by}, dispatched_{&dispatched}, where_{&where} {}

  const http::request& request() const noexcept { return *dispatched_->request; }
  const operation_row& row() const noexcept { return *where_->row; }
  const front_settings& settings() const noexcept { return front_->settings(); }
  /// The origins of the regions' ping URLs, for the policy of the console's pages.
  const std::string& ping_origins() const noexcept { return front_->ping_origins_; }
  const model::ip_address& client() const noexcept { return where_->client; }
  /// The token that the request was admitted with; null: none.
  const model::access_token* token() const noexcept { return where_->token; }

  /// Host name of the request's `Origin`, in lower case; empty if there is none.
  std::string origin_host() const;
  /// The namespace of a player token. Tokens of other kinds name none, so the namespace is found as
  /// without a token.
  std::optional<model::uuid> player_namespace() const;

  // -- for messages -----------------------------------------------------------

  const actors::exchange_ref& exchange() const noexcept { return dispatched_->exchange; }
  actors::ticket_ptr ticket() const { return dispatched_->request; }
  std::shared_ptr<const std::string> body() const {
    return {dispatched_->request, &dispatched_->request->body};
  }
  /// The client, as the audit log names it.
  model::audit_author author() const;

  // -- reading ----------------------------------------------------------------

  /// A parameter of the path, decoded, counted from 0. Valid like this.
  std::string_view parameter(std::size_t number) const { return where_->parameters[number]; }
  /// That parameter as an id. Where it is not a UUID, refuses the request.
  std::optional<model::uuid> id(std::size_t number) const;
  /// A parameter of the query, decoded; empty if absent. One that cannot be decoded becomes `?`,
  /// which is neither a number nor a name.
  std::string query(std::string_view name) const;
  /// Whether the operation accepts the body's type and size, or takes no body; if not, refuses the
  /// request.
  bool takes_body() const;
  /// Whether the store is within reach; if not, refuses the request.
  bool reaches_store() const;

  // -- answering, once --------------------------------------------------------

  /// Sends `message` to an owner. While the owner is being restarted, the request waits for it.
  template <class Message>
  void forward(base::owner to, Message&& message) const {
    front_->forward(*dispatched_, row().id, to, std::forward<Message>(message));
  }
  /// Sends an owner a message that needs no answer. False: the owner is being restarted.
  template <class Message>
  bool tell(base::owner which, Message&& message) const {
    return front_->tell(which, std::forward<Message>(message));
  }
  /// Requests a listing of regions, together with other listings requested at the same time.
  void rank(actors::rank_regions&& message) const {
    front_->rank(*dispatched_, std::move(message));
  }
  void answer(response&& with) const { front_->answer(*dispatched_, row().id, std::move(with)); }
  /// Answers with bytes that never change; null: 404, as if the path did not exist.
  void answer_static(const std::shared_ptr<const static_content>& content,
                     std::string_view fixed_headers) const;
  void refuse(const base::error& why) const { front_->fail(*dispatched_, row().id, why); }

private:
  front* front_;
  const dispatch* dispatched_;
  const route* where_;
};

using report_kind = actors::render_report::kind;

/// Requests a report.
template <report_kind What>
void report(const request_context& asked) {
  asked.forward(base::owner::reports,
                actors::render_report{asked.exchange(), What, asked.ticket()});
}

} // namespace matchcloud::http
