#pragma once

#include "actors/protocol.hpp"
#include "actors/resident.hpp"
#include "http/front/routes.hpp"
#include "http/transport/exchange.hpp"
#include "http/wire/client_address.hpp"
#include "http/wire/request.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The settings of a front. Immutable, shared by all fronts.
struct front_settings {
  /// Empty, or `/x` without a slash at the end.
  std::string base_path;
  proxy_trust proxies;
  /// Origins that may read `regions.list`. A single `*` allows every origin.
  std::vector<std::string> cors_origins{"*"};
};

/// Matches a request's route, forwards it as a message to the actor that owns the answer, and turns
/// the reply into a response. One per event loop, resident on it; with the httplib transport, one
/// on the pool. It keeps no state about exchanges: the transport owns them.
class front final : public actors::resident {
public:
  /// `sink` must outlive the actor.
  front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings,
        exchange_sink& sink);

  const char* name() const override { return "front"; }

protected:
  caf::behavior make_behavior() override;
  /// Stops monitoring the owners: they outlive the front and would keep its monitors.
  void on_exit() override;

private:
  /// Passes the fault point `front.dispatch`. Whether the request goes on; an injected failure is
  /// answered.
  bool arrives(const dispatch& dispatched);
  void handle(const dispatch& dispatched);
  void preflight(const dispatch& dispatched, const operation_row& row);
  void list_regions(const dispatch& dispatched);
  void ping(const dispatch& dispatched);
  void list_avatars(const dispatch& dispatched, const route& where);
  void validate(const dispatch& dispatched, const route& where, model::payload_kind kind);
  void download_media(const dispatch& dispatched, const route& where);
  void export_lobbies(const dispatch& dispatched, const route& where);
  void download_export(const dispatch& dispatched, const route& where);
  /// The path parameter with that index. Where it is not a UUID, answers with a problem.
  std::optional<model::uuid> read_id(const dispatch& dispatched, const route& where,
                                     std::size_t number);
  /// Whether the operation accepts the body's type and size; if not, answers with a problem.
  bool check_body(const dispatch& dispatched, const operation_row& row);
  void on(const actors::owners& known);

  /// Sends `message` to an owner. While the owner is being restarted, the exchange waits for it.
  template <class Message>
  void forward(const dispatch& dispatched, operation which, actors::owner to, Message&& message);
  /// Answers with a problem; `headers` are additional whole lines.
  void fail(const dispatch& dispatched, operation which, const base::error& what,
            std::string headers = {});
  /// A handler for an owner's replies: passes the fault point `front.reply` and answers the
  /// exchange with `make(exchange, reply)`.
  template <class Reply, class Make>
  auto answering(Make make);
  template <class Reply>
  bool arrives(const Reply& reply, const open_exchange& exchange);
  http::response regions_answer(const http::request& request, const actors::regions_ranked& reply);
  http::response failure_answer(const open_exchange& exchange, const base::error& why);
  /// The latencies in the query; answers with a problem where they cannot be parsed.
  std::optional<std::vector<model::measured_latency>> read_rtt(const dispatch& dispatched);
  /// The CORS headers without which a page could not tell a refusal from a network failure.
  std::string cors_headers_of(operation which, const http::request& request) const;
  /// Whether the requesting page may read the regions listing.
  bool may_read(const http::request& request) const;
  /// The CORS headers of a response about the regions listing.
  std::string cors_headers(const http::request& request) const;

  std::shared_ptr<const front_settings> settings_;
  exchange_sink* sink_;
  std::array<caf::actor, actors::owner_count> owners_;
  bool any_origin_;
  bool attached_ = false;
};

} // namespace matchcloud::http
