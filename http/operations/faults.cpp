#include "http/operations/faults.hpp"

#include "actors/fault_control/messages.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::string_view fault_example =
    R"({"point":"avatar.receive",)"
    R"("what":"An avatar actor is asked for a game's list.","kinds":[)"
    R"("delay","error","drop","crash","abort","stall"],"rule":null,)"
    R"("passes":0,"hits":0})";

constexpr std::array schemas{
    named_schema{"FaultRule",
                 R"({"type":"object","additionalProperties":false,"required":["kind"],)"
                 R"("properties":{"kind":{"enum":["delay","error","drop","crash",)"
                 R"("abort","short-write","corrupt","stall"]},"delay_ms":{"oneOf":[{)"
                 R"("type":"number","minimum":0},{"type":"array","items":{)"
                 R"("type":"number","minimum":0},"minItems":2,"maxItems":2}],)"
                 R"("description":"Milliseconds, or the least and the most; of the )"
                 R"(kind `delay` alone."},"probability":{"type":"number","minimum":0,)"
                 R"("maximum":1},"every":{"type":"integer","minimum":1},"first":{)"
                 R"("type":"integer","minimum":1},"once":{"type":"boolean"},"header":{)"
                 R"("type":"boolean"}}})"},
    named_schema{"FaultPoint",
                 R"({"type":"object","additionalProperties":false,"required":["point",)"
                 R"("what","kinds","rule","passes","hits"],"properties":{"point":{)"
                 R"("type":"string"},"what":{"type":"string"},"kinds":{"type":"array",)"
                 R"("items":{"type":"string"}},"rule":{"oneOf":[{)"
                 R"("$ref":"#/components/schemas/FaultRule"},{"type":"null"}]},)"
                 R"("passes":{"type":"integer"},"hits":{"type":"integer"}}})"},
    named_schema{"FaultList", R"({"type":"object","additionalProperties":false,"required":["seed",)"
                              R"("points"],"properties":{"seed":{"type":"integer",)"
                              R"("description":"64 bits."},"points":{"type":"array","items":{)"
                              R"("$ref":"#/components/schemas/FaultPoint"}}}})"}};

using verb = actors::control_faults::verb;

template <verb What>
void control(const request_context& asked) {
  if (!asked.takes_body()) return;
  asked.forward(owner::fault_control,
                actors::control_faults{asked.exchange(), What, asked.parameter(0), asked.body(),
                                       asked.author(), asked.ticket()});
}

} // namespace

const operation_code codes::list_faults{
    [] {
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "List fault points",
          .description = "All points with their rules. Faults exist only where the service "
                         "runs with `--enable-fault-injection`; elsewhere 404.",
          .answers = {{200, "The points.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultList"})",
                       R"({"seed":7,"points":[]})"}},
          .errors = {errc::route_not_found},
          .schemas = schemas}};
    },
    control<verb::list>};

const operation_code codes::clear_faults{
    [] {
      return operation_references{
          operation_reference{.tag = "faults",
                              .summary = "End all faults",
                              .description = "What they delay or stall goes on at once.",
                              .answers = {{204, "No fault is injected.", cache_control}},
                              .errors = {errc::route_not_found}}};
    },
    control<verb::clear_all>};

const operation_code codes::get_fault{
    [] {
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "Show a fault point",
          .description = "Its rule, and passes and hits since that was set.",
          .answers = {{200, "The point.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
          .errors = {errc::route_not_found, errc::element_not_found}}};
    },
    control<verb::get>};

const operation_code codes::put_fault{
    [] {
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "Inject a fault",
          .description = "Sets a rule in place of the one before. `Content-Type` does not "
                         "matter.",
          .body = {.schema = R"({"$ref":"#/components/schemas/FaultRule"})",
                   .description = "What happens, and to which passes.",
                   .has_own_errors = true,
                   .example = R"({"kind":"delay","delay_ms":1,"probability":0.01})"},
          .answers = {{200, "The point with its rule.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
          .errors = {errc::route_not_found, errc::element_not_found, errc::query_invalid,
                     errc::store_failed, errc::store_full, errc::store_newer}}};
    },
    control<verb::put>};

const operation_code codes::clear_fault{
    [] {
      return operation_references{
          operation_reference{.tag = "faults",
                              .summary = "End a fault",
                              .description = "What it delays or stalls goes on at once.",
                              .answers = {{204, "The point injects nothing.", cache_control}},
                              .errors = {errc::route_not_found, errc::element_not_found}}};
    },
    control<verb::clear>};

} // namespace matchcloud::http
