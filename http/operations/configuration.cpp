#include "actors/administration/log_levels.hpp"
#include "actors/administration/messages.hpp"
#include "base/config_row.hpp"
#include "base/events/log_event.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

#include <span>

namespace matchcloud::http {

namespace {

using base::errc;

std::vector<named_schema> key_schemas() {
  return {
      object("Configuration", {{"file", text_or_null, "The file that `--config` named."},
                               {"read", moment, "When it was last read successfully."},
                               {"keys", list_of(a("ConfigurationKey")),
                                "Every key, in the order of `serve --help`."}}),
      object(
          "ConfigurationKey",
          {{"name", text, "The key, such as `request-timeout-ms`."},
           {"value", text_or_null, "The value in force, lists with commas; null: none, or hidden."},
           {"hidden", flag, "Whether the value is left out because it may contain a secret."},
           {"default", text_or_null, "The value if none is given; null: none."},
           {"source", a("ConfigurationSource"), "Where the value comes from."},
           {"place", text, "The flag, the variable, or file and line; empty for a default."},
           {"reloadable", flag, "Whether a reload applies a change; otherwise it needs a restart."},
           {"needs_restart", flag, "Whether another value takes effect at the next restart."},
           {"next_value", text_or_null, "The value after a restart."}}),
      one_of("ConfigurationSource", base::config_source_names, "Where a value comes from.")};
}

constexpr std::string_view levels_example =
    R"({"in_force":{"service":"info","store":"debug","catalog":"info",)"
    R"("exports":"info","avatars":"info","housekeeping":"info","http":"info",)"
    R"("tls":"info","geoip":"info","actors":"info","faults":"info"},)"
    R"("configured":{"service":"info","store":"info","catalog":"info",)"
    R"("exports":"info","avatars":"info","housekeeping":"info","http":"info",)"
    R"("tls":"info","geoip":"info","actors":"info","faults":"info"}})";

std::vector<named_schema> level_schemas() {
  return {named_schema{"LogLevelChange",
                       R"({"type":"object",)"
                       R"("additionalProperties":{"$ref":"#/components/schemas/LogLevel"},)"
                       R"("propertyNames":{"$ref":"#/components/schemas/LogSubject"},)"
                       R"("description":"Levels by subject."})"},
          one_of("LogSubject", base::log_subject_names, "What lines of the log are about."),
          one_of("LogLevel", std::span{base::log_level_names}.first<4>(),
                 "The least severe lines that are logged."),
          object("LogLevels",
                 {{"in_force", a("LogLevelChange"), "The level of each subject now."},
                  {"configured", a("LogLevelChange"), "The configured level of each subject."}})};
}

} // namespace

const operation_code codes::get_config{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Show the configuration of the service",
          .description = "Every key with its value, where the value comes from, and whether a "
                         "reload (SIGHUP, `matchcloud reload`) applies a change. Passwords and "
                         "secrets are left out.",
          .answers = {json_answer(
              "The configuration in force.", a("Configuration"),
              R"({"file":"/etc/matchcloud/matchcloud.toml",)"
              R"("read":"2026-11-25T00:00:00.000Z","keys":[{"name":"auth",)"
              R"("value":"required","hidden":false,"default":"open","source":"file",)"
              R"("place":"/etc/matchcloud/matchcloud.toml:3: auth","reloadable":true,)"
              R"("needs_restart":false,"next_value":"required"}]})")},
          .schemas = key_schemas()};
    },
    [](const request_context& asked) {
      response made;
      made.content_type = json_type;
      made.fixed_headers = no_store_header;
      if (const auto& known = asked.settings().configuration) made.body = *known;
      asked.answer(std::move(made));
    }};

const operation_code codes::get_log_levels{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Show the levels of the log",
          .description = "The level in force for each subject, and the configured one "
                         "(`log-level`, `log-levels`).",
          .answers = {json_answer("The levels.", a("LogLevels"), levels_example)},
          .schemas = level_schemas()};
    },
    [](const request_context& asked) {
      response made;
      made.content_type = json_type;
      made.fixed_headers = no_store_header;
      made.body = actors::render_log_levels();
      asked.answer(std::move(made));
    }};

const operation_code codes::put_log_levels{
    [] {
      return operation_reference{
          .tag = "reports",
          .summary = "Change the levels of the log",
          .description = "Takes effect at once, until the configuration is read again or the "
                         "service restarts. Subjects that are left out return to their configured "
                         "level, so `{}` undoes all changes. `Content-Type` is ignored.",
          .body = {.schema = a("LogLevelChange"),
                   .description = "A level for each subject that should differ from its configured "
                                  "level.",
                   .example = R"({"store":"debug","http":"error"})"},
          .answers = {json_answer("The levels.", a("LogLevels"), levels_example)},
          .errors = {errc::query_invalid}};
    },
    [](const request_context& asked) {
      if (!asked.takes_body()) return;
      asked.forward(base::owner::administration,
                    actors::administer{asked.exchange(), actors::log_levels_request{asked.body()},
                                       asked.author(), asked.ticket()});
    }};

} // namespace matchcloud::http
