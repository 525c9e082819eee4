#include "actors/fault_control/fault_control.hpp"
#include "base/fault_point.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

#include <span>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::string_view fault_example =
    R"({"point":"avatar.receive",)"
    R"("what":"An avatar actor is asked for a game's list.","group":"actor","kinds":[)"
    R"("delay","error","drop","crash","abort","stall"],)"
    R"("choose_by":["header","game","client","token","connections"],"rule":null,)"
    R"("passes":0,"hits":0,"heals_in_s":null})";

std::vector<named_schema> fault_schemas() {
  return {actors::fault_rule_schema(),
          one_of("FaultKind", std::span{base::fault_kind_names}.subspan<1>(),
                 "What an injected fault does."),
          one_of("FaultChoice", base::fault_choice_names,
                 "A member by which a rule may choose passes."),
          schema_of<actors::shown_point>(),
          schema_of<actors::fault_preset>(),
          schema_of<actors::fault_list>()};
}

using fault_verb = actors::control_faults::verb;

template <fault_verb What>
void control(const request_context& asked) {
  if (!asked.takes_body()) return;
  asked.forward(owner::fault_control,
                actors::control_faults{asked.exchange(), What, std::string{asked.parameter(0)},
                                       asked.body(), asked.author(), asked.ticket(),
                                       asked.settings().access.requires_tokens});
}

} // namespace

const operation_code codes::list_faults{
    [] {
      return operation_reference{
          .tag = "faults",
          .summary = "List fault points",
          .description =
              "All points with their rules, and presets. Faults exist only if the service runs "
              "with `--enable-fault-injection`; otherwise 404.",
          .answers = {json_answer("The points.", a("FaultList"),
                                  R"({"seed":7,"points":[],"presets":[]})")},
          .schemas = fault_schemas()};
    },
    control<fault_verb::list>};

const operation_code codes::clear_faults{
    [] {
      return operation_reference{.tag = "faults",
                                 .summary = "End all faults",
                                 .description = "Delayed and stalled work continues at once.",
                                 .answers = {{204, "No fault is injected.", cache_control}}};
    },
    control<fault_verb::clear_all>};

const operation_code codes::get_fault{
    [] {
      return operation_reference{
          .tag = "faults",
          .summary = "Show a fault point",
          .description = "Its rule, and the passes and hits since the rule was set.",
          .answers = {json_answer("The point.", a("FaultPoint"), fault_example)},
          .errors = {errc::element_not_found}};
    },
    control<fault_verb::get>};

const operation_code codes::put_fault{
    [] {
      return operation_reference{
          .tag = "faults",
          .summary = "Inject a fault",
          .description = "Sets a rule, which replaces the previous one. `Content-Type` is ignored.",
          .body = {.schema = a("FaultRule"),
                   .description = "What happens, and to which passes.",
                   .has_own_errors = true,
                   .example = R"({"kind":"delay","delay_ms":1,"probability":0.01})"},
          .answers = {json_answer("The point with its rule.", a("FaultPoint"), fault_example)},
          .errors = {errc::element_not_found, errc::query_invalid, errc::store_full,
                     errc::store_newer}};
    },
    control<fault_verb::put>};

const operation_code codes::clear_fault{
    [] {
      return operation_reference{.tag = "faults",
                                 .summary = "End a fault",
                                 .description = "Delayed and stalled work continues at once.",
                                 .answers = {{204, "The point injects nothing.", cache_control}},
                                 .errors = {errc::element_not_found}};
    },
    control<fault_verb::clear>};

} // namespace matchcloud::http
