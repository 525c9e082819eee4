#include "http/operations/audit.hpp"

#include "actors/administration/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::array schemas{
    named_schema{"AuditPage", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("entries","next_before"],"properties":{"entries":{"type":"array",)"
                              R"("items":{"$ref":"#/components/schemas/AuditEntry"}},)"
                              R"("next_before":{"type":["integer","null"],)"
                              R"("description":"For the next page; null: there are no older )"
                              R"(ones."}}})"},
    named_schema{"AuditEntry",
                 R"({"type":"object","additionalProperties":false,"required":["entry",)"
                 R"("at","who","address","request_id","action","subject","before",)"
                 R"("after"],"properties":{"entry":{"type":"integer"},"at":{)"
                 R"("type":"string","format":"date-time"},"who":{"type":"object",)"
                 R"("additionalProperties":false,"required":["kind","name","id"],)"
                 R"("properties":{"kind":{"enum":["token","certificate","local",)"
                 R"("service"]},"name":{"type":["string","null"]},"id":{"type":[)"
                 R"("string","null"]}}},"address":{"type":["string","null"]},)"
                 R"("request_id":{"type":["string","null"]},"action":{)"
                 R"("type":"string"},"subject":{"type":["string","null"]},"before":{)"
                 R"("description":"What the change was about, before it."},"after":{)"
                 R"("description":"The same after it."}}})"}};

} // namespace

const operation_code codes::list_audit{
    [] {
      return operation_references{operation_reference{
          .tag = "access",
          .summary = "Read the audit log",
          .description =
              "Who changed what, the newest first. With `action`, `subject` or `who` a page "
              "may have fewer entries than `limit`, or none, and others after it.",
          .parameters = {{"query", "limit", R"({"type":"integer","minimum":1,"maximum":1000})",
                          "How many entries; 100 without.", "10"},
                         {"query", "before", R"({"type":"integer","minimum":1})",
                          "Entries with a lower number: `next_before` of the page before.",
                          "1000000"},
                         {"query", "since", R"({"type":"string","format":"date-time"})",
                          "Entries of this time or later.", R"("2026-01-01T00:00:00Z")"},
                         {"query", "action", R"({"type":"string","maxLength":1024})",
                          "An action (`token.create`), or the first words of several (`token`).",
                          R"("demo")"},
                         {"query",
                          "subject",
                          R"({"type":"string","maxLength":1024})",
                          "A subject (`games/ID`, a file), or what several are below (`games`).",
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
          .schemas = schemas}};
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
