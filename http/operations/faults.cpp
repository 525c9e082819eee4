#include "http/operations/faults.hpp"

#include "actors/fault_control/messages.hpp"
#include "base/fault_point.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>
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

constexpr std::array fault_schemas{
    named_schema{"FaultRule", R"({
      "type": "object", "additionalProperties": false, "required": ["kind"],
      "properties": {
        "kind": {"$ref": "#/components/schemas/FaultKind", "description": "What happens."},
        "delay_ms": {"oneOf": [{"type": "number", "minimum": 0}, {"type": "array",
          "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}],
          "description": "Milliseconds, or a minimum and a maximum; only for `delay`."},
        "probability": {"type": "number", "minimum": 0, "maximum": 1,
          "description": "The share of passes that are hit at random."},
        "every": {"type": "integer", "minimum": 1,
          "description": "With 3, the third, the sixth pass and so on are hit."},
        "first": {"type": "integer", "minimum": 1,
          "description": "The number of the last pass that may be hit."},
        "once": {"type": "boolean", "description": "Whether only one pass is hit."},
        "header": {"type": "boolean",
          "description": "Whether only requests whose `X-Fault` names the point are hit."},
        "game": {"type": "string", "format": "uuid",
          "description": "Only passes about this game are hit."},
        "client": {"type": "string",
          "description": "Only clients of this address, or block such as `10.0.0.0/8`, are hit."},
        "token": {"type": "string", "format": "uuid",
          "description": "Only requests that were admitted with the token of this id are hit."},
        "connections": {"type": "number", "exclusiveMinimum": 0, "maximum": 1,
          "description": "The share of connections that are hit; the seed chooses them."},
        "lasts_s": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 3600,
          "description": "Seconds after which the rule heals."}}
    })"},
    named_schema{"FaultKind", R"({"description": "What an injected fault does."})",
                 std::span{base::fault_kind_names}.subspan<1>()},
    named_schema{"FaultChoice", R"({"description": "A member by which a rule may choose passes."})",
                 base::fault_choice_names},
    named_schema{"FaultPoint", R"({
      "type": "object", "additionalProperties": false,
      "required": ["point", "what", "group", "kinds", "choose_by", "rule", "passes", "hits",
        "heals_in_s"],
      "properties": {
        "point": {"type": "string", "description": "Its name, such as `avatar.receive`."},
        "what": {"type": "string", "description": "What happens at this point."},
        "group": {"type": "string",
          "enum": ["connection", "front", "actor", "background", "store", "geoip", "file", "bucket",
            "clock"], "description": "Where it is on a request's path."},
        "kinds": {"type": "array", "items": {"$ref": "#/components/schemas/FaultKind"},
          "description": "The faults that are possible here."},
        "choose_by": {"type": "array", "items": {"$ref": "#/components/schemas/FaultChoice"},
          "description": "How rules may choose passes here."},
        "rule": {"oneOf": [{"$ref": "#/components/schemas/FaultRule"}, {"type": "null"}],
          "description": "The rule in force; null: none."},
        "passes": {"type": "integer", "minimum": 0,
          "description": "Passes since the rule was set."},
        "hits": {"type": "integer", "minimum": 0,
          "description": "How many of them the rule hit."},
        "heals_in_s": {"type": ["integer", "null"],
          "description": "Seconds until the rule heals; null: there is no rule."},
        "note": {"type": "string", "description": "Why the rule may never hit, if so."}}
    })"},
    named_schema{"FaultPreset", R"({
      "type": "object", "additionalProperties": false,
      "required": ["name", "effect", "point", "rule"],
      "properties": {
        "name": {"type": "string", "description": "Such as `slow-disk`."},
        "effect": {"type": "string", "description": "The effect that can be observed."},
        "point": {"type": "string", "description": "Where to put the rule."},
        "rule": {"$ref": "#/components/schemas/FaultRule", "description": "The rule."}}
    })"},
    named_schema{"FaultList", R"({
      "type": "object", "additionalProperties": false, "required": ["seed", "points", "presets"],
      "properties": {
        "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615,
          "description": "Decides everything that happens at random."},
        "points": {"type": "array", "items": {"$ref": "#/components/schemas/FaultPoint"},
          "description": "All points."},
        "presets": {"type": "array", "items": {"$ref": "#/components/schemas/FaultPreset"},
          "description": "Ready-made rules for common effects."}}
    })"},
};

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
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "List fault points",
          .description =
              "All points with their rules, and presets. Faults exist only if the service runs "
              "with `--enable-fault-injection`; otherwise 404.",
          .answers = {{200, "The points.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultList"})",
                       R"({"seed":7,"points":[],"presets":[]})"}},
          .errors = {errc::route_not_found},
          .schemas = fault_schemas}};
    },
    control<fault_verb::list>};

const operation_code codes::clear_faults{
    [] {
      return operation_references{
          operation_reference{.tag = "faults",
                              .summary = "End all faults",
                              .description = "Delayed and stalled work continues at once.",
                              .answers = {{204, "No fault is injected.", cache_control}},
                              .errors = {errc::route_not_found}}};
    },
    control<fault_verb::clear_all>};

const operation_code codes::get_fault{
    [] {
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "Show a fault point",
          .description = "Its rule, and the passes and hits since the rule was set.",
          .answers = {{200, "The point.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
          .errors = {errc::route_not_found, errc::element_not_found}}};
    },
    control<fault_verb::get>};

const operation_code codes::put_fault{
    [] {
      return operation_references{operation_reference{
          .tag = "faults",
          .summary = "Inject a fault",
          .description = "Sets a rule, which replaces the previous one. `Content-Type` is ignored.",
          .body = {.schema = R"({"$ref":"#/components/schemas/FaultRule"})",
                   .description = "What happens, and to which passes.",
                   .has_own_errors = true,
                   .example = R"({"kind":"delay","delay_ms":1,"probability":0.01})"},
          .answers = {{200, "The point with its rule.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/FaultPoint"})", fault_example}},
          .errors = {errc::route_not_found, errc::element_not_found, errc::query_invalid,
                     errc::store_failed, errc::store_full, errc::store_newer}}};
    },
    control<fault_verb::put>};

const operation_code codes::clear_fault{
    [] {
      return operation_references{
          operation_reference{.tag = "faults",
                              .summary = "End a fault",
                              .description = "Delayed and stalled work continues at once.",
                              .answers = {{204, "The point injects nothing.", cache_control}},
                              .errors = {errc::route_not_found, errc::element_not_found}}};
    },
    control<fault_verb::clear>};

} // namespace matchcloud::http
