#pragma once

#include "actors/region_ranking/messages.hpp"
#include "actors/reports/messages.hpp"
#include "actors/request/messages.hpp"
#include "http/front/front.hpp"
#include "http/front/routes.hpp"
#include "http/front/static_content.hpp"
#include "model/audit/audit.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

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
