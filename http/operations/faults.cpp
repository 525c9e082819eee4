#include "actors/fault_control/messages.hpp"
#include "base/fault_point.hpp"
#include "http/front/request_context.hpp"
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
  return {
      object("FaultRule",
             {{"kind", a("FaultKind"), "What happens."},
              {"delay_ms",
               maybe({R"("oneOf":[{"type":"number","minimum":0},{"type":"array",)"
                      R"("items":{"type":"number","minimum":0},"minItems":2,"maxItems":2}])"}),
               "Milliseconds, or a minimum and a maximum; only for `delay`."},
              {"probability", maybe(share), "The share of passes that are hit at random."},
              {"every", maybe(positive), "With 3, the third, the sixth pass and so on are hit."},
              {"first", maybe(positive), "The number of the last pass that may be hit."},
              {"once", maybe(flag), "Whether only one pass is hit."},
              {"header", maybe(flag),
               "Whether only requests whose `X-Fault` names the point are hit."},
              {"game", maybe(uuid), "Only passes about this game are hit."},
              {"client", maybe(text),
               "Only clients of this address, or block such as `10.0.0.0/8`, are hit."},
              {"token", maybe(uuid),
               "Only requests that were admitted with the token of this id are hit."},
              {"connections", maybe({R"("type":"number","exclusiveMinimum":0,"maximum":1)"}),
               "The share of connections that are hit; the seed chooses them."},
              {"lasts_s", maybe({R"("type":"integer","minimum":1,"maximum":86400,"default":3600)"}),
               "Seconds after which the rule heals."}}),
      one_of("FaultKind", std::span{base::fault_kind_names}.subspan<1>(),
             "What an injected fault does."),
      one_of("FaultChoice", base::fault_choice_names,
             "A member by which a rule may choose passes."),
      object(
          "FaultPoint",
          {{"point", text, "Its name, such as `avatar.receive`."},
           {"what", text, "What happens at this point."},
           {"group",
            {R"("type":"string","enum":["connection","front","actor","background",)"
             R"("store","geoip","file","bucket","clock"])"},
            "Where it is on a request's path."},
           {"kinds", list_of(a("FaultKind")), "The faults that are possible here."},
           {"choose_by", list_of(a("FaultChoice")), "How rules may choose passes here."},
           {"rule", or_null(a("FaultRule")), "The rule in force; null: none."},
           {"passes", count, "Passes since the rule was set."},
           {"hits", count, "How many of them the rule hit."},
           {"heals_in_s", integer_or_null, "Seconds until the rule heals; null: there is no rule."},
           {"note", maybe(text), "Why the rule may never hit, if so."}}),
      object("FaultPreset", {{"name", text, "Such as `slow-disk`."},
                             {"effect", text, "The effect that can be observed."},
                             {"point", text, "Where to put the rule."},
                             {"rule", a("FaultRule"), "The rule."}}),
      object("FaultList",
             {{"seed", unsigned_64, "Decides everything that happens at random."},
              {"points", list_of(a("FaultPoint")), "All points."},
              {"presets", list_of(a("FaultPreset")), "Ready-made rules for common effects."}})};
}

using fault_verb = actors::control_faults::verb;

template <fault_verb What>
void control(const request_context& asked) {
  if (!asked.takes_body()) return;
  asked.forward(owner::fault_control,
                actors::control_faults{asked.exchange(), What, asked.parameter(0), asked.body(),
                                       asked.author(), asked.ticket(),
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
          .errors = {errc::route_not_found},
          .schemas = fault_schemas()};
    },
    control<fault_verb::list>};

const operation_code codes::clear_faults{
    [] {
      return operation_reference{.tag = "faults",
                                 .summary = "End all faults",
                                 .description = "Delayed and stalled work continues at once.",
                                 .answers = {{204, "No fault is injected.", cache_control}},
                                 .errors = {errc::route_not_found}};
    },
    control<fault_verb::clear_all>};

const operation_code codes::get_fault{
    [] {
      return operation_reference{
          .tag = "faults",
          .summary = "Show a fault point",
          .description = "Its rule, and the passes and hits since the rule was set.",
          .answers = {json_answer("The point.", a("FaultPoint"), fault_example)},
          .errors = {errc::route_not_found, errc::element_not_found}};
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
          .errors = {errc::route_not_found, errc::element_not_found, errc::query_invalid,
                     errc::store_failed, errc::store_full, errc::store_newer}};
    },
    control<fault_verb::put>};

const operation_code codes::clear_fault{
    [] {
      return operation_reference{.tag = "faults",
                                 .summary = "End a fault",
                                 .description = "Delayed and stalled work continues at once.",
                                 .answers = {{204, "The point injects nothing.", cache_control}},
                                 .errors = {errc::route_not_found, errc::element_not_found}};
    },
    control<fault_verb::clear>};

} // namespace matchcloud::http
