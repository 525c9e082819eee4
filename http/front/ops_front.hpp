#pragma once

#include "http/front/front.hpp"
#include "http/front/service_state.hpp"

#include <memory>
#include <string>

namespace matchcloud::http {

/// The front of the ops plane: health, reports, ingestion and administration. It answers health by
/// itself, so that this takes nothing but its event loop.
class ops_front final : public front {
public:
  /// `state`: what `/readyz` answers; any thread may set it.
  ops_front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings,
            exchange_sink& sink, shared_service_state state,
            std::shared_ptr<access_gate> gate = nullptr,
            const model::catalog_snapshot& catalog = nullptr);

protected:
  caf::behavior make_behavior() override;

private:
  void perform(const dispatch& dispatched, const route& where) override;
  void preflight(const dispatch& dispatched, const route& where) override;

  void set_catalog(const model::catalog_snapshot& catalog);
  void answer_health(const dispatch& dispatched);
  void answer_readiness(const dispatch& dispatched);
  void report(const dispatch& dispatched, const operation_row& row,
              actors::render_report::kind what);
  void ingest(const dispatch& dispatched, const route& where);
  void administer_tokens(const dispatch& dispatched, const route& where,
                         actors::administer_tokens::verb what);
  void read_audit(const dispatch& dispatched, const route& where);
  /// Whether the store can be asked; answers the request if it cannot.
  bool reaches_store(const dispatch& dispatched, const route& where);
  void administer(const dispatch& dispatched, const route& where, actors::administer::verb what);
  void print_schema(const dispatch& dispatched, const route& where);
  void explain_ranking(const dispatch& dispatched, const route& where);
  /// `read` makes the query of the parameters in a request's query string.
  template <class Read>
  void survey(const dispatch& dispatched, const route& where, Read read);
  void answer_console(const dispatch& dispatched, const route& where);
  void control_faults(const dispatch& dispatched, const route& where,
                      actors::control_faults::verb what);
  /// Sends the owner of an exchange a message about a body in parts.
  template <class Message>
  void pass_on(const Message& message);

  shared_service_state state_;
  /// Where regions are pinged, for the console's policy: ` https://..` of each.
  std::string ping_origins_;
};

} // namespace matchcloud::http
