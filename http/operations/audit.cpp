#include "actors/administration/messages.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "model/audit/audit_record.hpp"

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

std::vector<named_schema> audit_schemas() {
  return {schema_of<model::audit_page>(), schema_of<model::audit_entry>(),
          schema_of<model::audit_author>(),
          one_of("AuditAuthorKind", model::audit_author_names,
                 "`local`: a command, or a request without a token from this machine; `service`: "
                 "the service itself.")};
}

} // namespace

const operation_code codes::list_audit{
    [] {
      return operation_reference{
          .tag = "access",
          .summary = "Read the audit log",
          .description =
              "Who changed what, newest first. With `action`, `subject` or `who`, a page may have "
              "fewer entries than `limit`, or none, although more pages follow.",
          .parameters =
              {{"query",
                "limit",
                {R"("type":"integer","minimum":1,"maximum":1000)"},
                "The most entries to return; 100 by default.",
                "10"},
               {"query", "before", positive,
                "Only entries with a lower number: `next_before` of the previous page.", "1000000"},
               {"query", "since", moment, "Only entries of this time or later.",
                R"("2026-01-01T00:00:00Z")"},
               {"query",
                "action",
                {R"("type":"string","maxLength":1024)"},
                "An action (`token.create`), or the first words that several share (`token`).",
                R"("demo")"},
               {"query",
                "subject",
                {R"("type":"string","maxLength":1024)"},
                "A subject (`games/ID`, a file), or the part above several (`games`).",
                {}},
               {"query",
                "who",
                {R"("type":"string","maxLength":1024)"},
                "The name, the id or the kind of an author.",
                R"("local")"}},
          .answers = {json_answer(
              "A page of entries.", a("AuditPage"),
              R"({"entries":[{"entry":1,"at":"2026-11-23T00:00:00.000Z","who":{)"
              R"("kind":"local","name":"root","id":"0"},"address":null,)"
              R"("request_id":null,"action":"demo.seed","subject":null,)"
              R"("before":null,"after":null}],"next_before":null})")},
          .errors = {errc::query_invalid, errc::store_newer},
          .schemas = audit_schemas()};
    },
    [](const request_context& asked) {
      if (!asked.reaches_store()) return;
      auto read = model::parse_audit_query({asked.query("before"), asked.query("limit"),
                                            asked.query("since"), asked.query("action"),
                                            asked.query("subject"), asked.query("who")});
      if (!read) return asked.refuse(read.error());
      asked.forward(owner::administration,
                    actors::administer{asked.exchange(), *std::move(read), {}, asked.ticket()});
    }};

} // namespace matchcloud::http
