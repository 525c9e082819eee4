#pragma once

#include "model/audit/audit.hpp"
#include "model/json/record.hpp"

namespace matchcloud::model {

// The audit log as operators see it.

constexpr auto describe(const audit_author*) {
  using of = audit_author;
  using namespace types;
  return record{
      "AuditAuthor", field{"kind", a("AuditAuthorKind"), "What the author is.", &of::what},
      field{"name", text_or_null, "The name of the token or user, or the certificate's subject.",
            unless_empty(&of::name)},
      field{"id", text_or_null, "The id of the token, or the number of the user.",
            unless_empty(&of::id)}};
}

constexpr auto describe(const audit_entry*) {
  using of = audit_entry;
  using namespace types;
  const auto in_author = [](std::string audit_author::*member) {
    return unless_empty([member](const of& one) -> const std::string& { return one.who.*member; });
  };
  const auto in_change = [](std::string audit_change::*member) {
    return [member](const of& one) {
      const auto& json = one.what.*member;
      return json.empty() ? std::nullopt : std::optional{raw_json{json}};
    };
  };
  return record{
      "AuditEntry",
      field{"entry", positive, "Its number; later entries have higher numbers.", &of::entry},
      field{"at", moment, "When it happened.", moment_from(&of::at_ms)},
      field{"who", a("AuditAuthor"), "Who did it.", &of::who},
      field{"address", text_or_null, "The client's IP address; null for a command.",
            in_author(&audit_author::address)},
      field{"request_id", text_or_null, "The id of the request; null for a command.",
            in_author(&audit_author::request_id)},
      field{"action", text, "What was done, such as `token.create`.",
            [](const of& one) -> const std::string& { return one.what.action; }},
      field{"subject", text_or_null,
            "What was changed, such as `games/ID`; null: nothing in particular.",
            unless_empty([](const of& one) -> const std::string& { return one.what.subject; })},
      field{"before",
            {},
            "The subject before the change; null: nothing.",
            in_change(&audit_change::before)},
      field{"after",
            {},
            "The subject after the change; null: nothing.",
            in_change(&audit_change::after)}};
}

constexpr auto describe(const audit_page*) {
  using of = audit_page;
  using namespace types;
  return record{"AuditPage",
                field{"entries", list_of(a("AuditEntry")), "The newest first.", &of::entries},
                field{"next_before",
                      {R"("type":["integer","null"],"minimum":1)"},
                      "`before` for the next page; null: there are no older entries.",
                      [](const of& one) {
                        return one.next_before == 0 ? std::nullopt : std::optional{one.next_before};
                      }}};
}

} // namespace matchcloud::model
