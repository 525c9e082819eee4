#include "base/build_info.hpp"
#include "http/front/front.hpp"
#include "http/front/front_settings.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

#include <span>

namespace matchcloud::http {

namespace {

struct service_version {
  std::int64_t started_ms;
};

constexpr auto describe(const service_version*) {
  const auto built = [](std::string_view base::build_info::*member) {
    return [member](const service_version&) { return base::built().*member; };
  };
  using base::build_info;
  return record{
      "ServiceVersion",
      field{"name", text, "The program's name.", built(&build_info::name)},
      field{"version", text, "The program's version, such as `0.2.0`.",
            built(&build_info::version)},
      field{"commit", text, "The commit it was built from; with `-dirty` if the tree differed.",
            built(&build_info::commit)},
      field{"build_type", text, "CMake's, such as `Release`.", built(&build_info::build_type)},
      field{"start", moment, "When the process began.",
            model::moment_from(&service_version::started_ms)}};
}

std::vector<named_schema> health_schemas() {
  return {object("Health", {{"status", {R"("const":"ok")"}, "Always `ok`."}}),
          object("Readiness",
                 {{"ready", flag, "Whether the service accepts requests."},
                  {"reason", maybe(a("UnreadyReason")), "Why it is not ready; absent if it is."}}),
          one_of("UnreadyReason", std::span{service_state_names}.subspan<1>(),
                 "Why the service does not accept requests."),
          schema_of<service_version>()};
}

response json_of(int status, std::string json) {
  response made;
  made.status = status;
  made.content_type = json_type;
  made.fixed_headers = no_store_header;
  made.body = std::move(json);
  return made;
}

} // namespace

const operation_code codes::get_health{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Whether the process is alive",
          .description = "Answered by the event loop alone.",
          .answers = {json_answer("The process is alive.", a("Health"), R"({"status":"ok"})")},
          .schemas = health_schemas()};
    },
    [](const request_context& asked) { asked.answer(json_of(200, R"({"status":"ok"})")); }};

const operation_code codes::get_readiness{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Whether the service accepts requests",
          .description =
              "503 while the service starts, drains, has a restart storm, may not use its store "
              "because a newer program changed it, or has lost its store's file. That answer is "
              "not a problem document, but has the same form as this one.",
          .answers = {json_answer("It is ready.", a("Readiness"), R"({"ready":true})"),
                      json_answer(503, "It is not ready, or an error.", a("Readiness"),
                                  R"({"ready":false,"reason":"draining"})")}};
    },
    [](const request_context& asked) {
      const auto now = asked.settings().state->load();
      asked.answer(json_of(now == service_state::ready ? 200 : 503, render_state(now)));
    }};

const operation_code codes::get_version{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Show the version of the service",
          .description = "`matchcloud --version` prints the same, except for the start.",
          .answers = {
              json_answer("Name, version, commit, build type and start.", a("ServiceVersion"),
                          R"({"name":"matchcloud","version":"0.1.0","commit":"0123456789ab",)"
                          R"("build_type":"Release","start":"2026-11-25T00:00:00.000Z"})")}};
    },
    [](const request_context& asked) {
      asked.answer(json_of(200, model::to_json(service_version{asked.settings().started_ms})));
    }};

} // namespace matchcloud::http
