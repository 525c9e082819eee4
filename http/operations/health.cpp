#include "http/operations/health.hpp"

#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>

namespace matchcloud::http {

namespace {

constexpr std::array schemas{
    named_schema{"Health", R"({"type":"object","additionalProperties":false,"required":[)"
                           R"("status"],"properties":{"status":{"const":"ok"}}})"},
    named_schema{"Readiness", R"({"type":"object","additionalProperties":false,"required":[)"
                              R"("ready"],"properties":{"ready":{"type":"boolean"},"reason":{)"
                              R"("enum":["starting","draining","restart_storm","store_newer"],)"
                              R"("description":"Why it is not ready."}}})"}};

} // namespace

const operation_code codes::get_health{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Whether the process lives",
          .description = "Answered by the event loop alone.",
          .answers = {{200, "It lives.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Health"})", R"({"status":"ok"})"}},
          .schemas = schemas}};
    },
    [](const request_context& asked) { asked.answer(json_of(200, R"({"status":"ok"})")); }};

const operation_code codes::get_readiness{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Whether the service takes requests",
          .description =
              "503 while it starts, drains, has a restart storm, or may not use its store "
              "because a newer program changed that: not a problem document, but the "
              "same shape.",
          .answers = {{200, "It is ready.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Readiness"})", R"({"ready":true})"},
                      {503, "It is not ready, or an error.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Readiness"})",
                       R"({"ready":false,"reason":"draining"})"}}}};
    },
    [](const request_context& asked) {
      const auto now = asked.settings().state->load();
      asked.answer(json_of(now == service_state::ready ? 200 : 503, render_state(now)));
    }};

} // namespace matchcloud::http
