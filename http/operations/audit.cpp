#include "http/operations/audit.hpp"

#include "actors/administration/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"
#include "model/audit/audit.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::array audit_schemas{
    named_schema{"AuditPage", R"({
      "type": "object", "additionalProperties": false, "required": ["entries", "next_before"],
      "properties": {
        "entries": {"type": "array", "items": {"$ref": "#/components/schemas/AuditEntry"},
          "description": "The newest first."},
        "next_before": {"type": ["integer", "null"], "minimum": 1,
          "description": "`before` for the next page; null: there are no older entries."}}
    })"},
    named_schema{"AuditEntry", R"({
      "type": "object", "additionalProperties": false,
      "required": ["entry", "at", "who", "address", "request_id", "action", "subject", "before",
        "after"],
      "properties": {
        "entry": {"type": "integer", "minimum": 1,
          "description": "Its number; later entries have higher numbers."},
        "at": {"type": "string", "format": "date-time", "description": "When it happened."},
        "who": {"$ref": "#/components/schemas/AuditAuthor", "description": "Who did it."},
        "address": {"type": ["string", "null"],
          "description": "The client's IP address; null for a command."},
        "request_id": {"type": ["string", "null"],
          "description": "The id of the request; null for a command."},
        "action": {"type": "string", "description": "What was done, such as `token.create`."},
        "subject": {"type": ["string", "null"],
          "description": "What was changed, such as `games/ID`; null: nothing in particular."},
        "before": {"description": "The subject before the change; null: nothing."},
        "after": {"description": "The subject after the change; null: nothing."}}
    })"},
    named_schema{"AuditAuthor", R"({
      "type": "object", "additionalProperties": false, "required": ["kind", "name", "id"],
      "properties": {
        "kind": {"$ref": "#/components/schemas/AuditAuthorKind",
          "description": "What the author is."},
        "name": {"type": ["string", "null"],
          "description": "The name of the token or user, or the certificate's subject."},
        "id": {"type": ["string", "null"],
          "description": "The id of the token, or the number of the user."}}
    })"},
    named_schema{"AuditAuthorKind",
                 R"({"description": "`local`: a command, or a request without a token from this )"
                 R"(machine; `service`: the service itself."})",
                 model::audit_author_names},
};

} // namespace

const operation_code codes::list_audit{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Read the audit log",
          .description =
              "Who changed what, newest first. With `action`, `subject` or `who`, a page may have "
              "fewer entries than `limit`, or none, although more pages follow.",
          .parameters =
              {{"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                "The most entries to return; 100 by default.", "10"},
               {"query", "before", R"({"type":"integer","minimum":1})",
                "Only entries with a lower number: `next_before` of the previous page.", "1000000"},
               {"query", "since", R"({"type":"string","format":"date-time"})",
                "Only entries of this time or later.", R"("2026-01-01T00:00:00Z")"},
               {"query", "action", R"({"type":"string","maxLength":1024})",
                "An action (`token.create`), or the first words that several share (`token`).",
                R"("demo")"},
               {"query",
                "subject",
                R"({"type":"string","maxLength":1024})",
                "A subject (`games/ID`, a file), or the part above several (`games`).",
                {}},
               {"query", "who", R"({"type":"string","maxLength":1024})",
                "The name, the id or the kind of an author.", R"("local")"}},
          .answers = {{200, "A page of entries.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/AuditPage"})",
                       R"({"entries":[{"entry":1,"at":"2026-11-23T00:00:00.000Z","who":{)"
                       R"("kind":"local","name":"root","id":"0"},"address":null,)"
                       R"("request_id":null,"action":"demo.seed","subject":null,)"
                       R"("before":null,"after":null}],"next_before":null})"}},
          .errors = {errc::query_invalid, errc::store_failed, errc::store_newer},
          .schemas = audit_schemas}};
    },
    [](const request_context& asked) {
      if (!asked.reaches_store()) return;
      auto read = model::parse_audit_query({asked.query("before"), asked.query("limit"),
                                            asked.query("since"), asked.query("action"),
                                            asked.query("subject"), asked.query("who")});
      if (!read) return asked.refuse(read.error());
      asked.forward(owner::administration,
                    actors::read_audit{asked.exchange(), *std::move(read), asked.ticket()});
    }};

} // namespace matchcloud::http
