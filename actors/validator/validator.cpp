#include "actors/validator/validator.hpp"

#include "actors/news/messages.hpp"
#include "actors/request/messages.hpp"
#include "model/validation/json_schema.hpp"

#include <utility>

namespace matchcloud::actors {

validator_state::validator_state(model::validation_rules rules, model::catalog_snapshot catalog)
    : rules_{std::move(rules)},
      no_findings_{std::make_shared<const std::string>(model::render_findings({}))} {
  set_catalog(std::move(catalog));
}

void validator_state::set_catalog(model::catalog_snapshot catalog) {
  if (catalog == catalog_) return; // sent again because the subscribers changed
  names_ = model::reference_names_of(*catalog);
  catalog_ = std::move(catalog);
}

base::expected<std::shared_ptr<const std::string>>
validator_state::validate(const validate_payload& request, std::size_t most_findings) const {
  const auto brief =
      model::validate_briefly(request.kind, *request.body, rules_, names_, most_findings);
  if (!brief) return tl::unexpected(brief.error());
  const auto& findings = *brief;
  if (!findings) return nullptr;
  if (request.kind == model::payload_kind::version && request.game_id &&
      catalog_->find_game(*request.game_id) == nullptr)
    return tl::unexpected(model::no_such_game(*request.game_id));
  if (findings->empty()) return no_findings_;
  return std::make_shared<const std::string>(model::render_findings(*findings));
}

std::string validator_state::schema(model::payload_kind kind) const {
  return model::json_schema(kind, rules_, names_);
}

validator::validator(caf::actor_config& cfg, model::validation_rules rules,
                     model::catalog_snapshot catalog, std::size_t most_findings)
    : resident{cfg, {base::fault_point::validator_receive, base::fault_point::validator_reply}},
      most_findings_{most_findings},
      state_{std::move(rules), std::move(catalog)} {}

caf::behavior validator::make_behavior() {
  be_strict();
  return {
      serving<validate_payload>([this](const validate_payload& request) {
        const auto front = caf::actor_cast<caf::actor>(current_sender());
        auto json = state_.validate(request, most_findings_);
        if (json && *json == nullptr)
          reply(front, validation_deferred{request.exchange, request}, request.ticket);
        else if (json)
          reply(front, json_made{request.exchange, *std::move(json)}, request.ticket);
        else
          reply(front, operation_failed{request.exchange, std::move(json).error()}, request.ticket);
      }),
      serving<print_schema>([this](const print_schema& request) {
        reply(caf::actor_cast<caf::actor>(current_sender()),
              json_made{request.exchange,
                        std::make_shared<const std::string>(state_.schema(request.kind))},
              request.ticket);
      }),
      [this](const catalog_changed& news) { state_.set_catalog(news.snapshot); },
  };
}

} // namespace matchcloud::actors
