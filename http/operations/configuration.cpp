#include "http/operations/configuration.hpp"

#include "actors/administration/log_levels.hpp"
#include "base/config_row.hpp"
#include "base/events/log_event.hpp"
#include "http/front/request_context.hpp"
#include "http/operations/code.hpp"

#include <array>
#include <span>

namespace matchcloud::http {

namespace {

using base::errc;

constexpr std::array key_schemas{
    named_schema{"Configuration", R"({
      "type": "object", "additionalProperties": false, "required": ["file", "read", "keys"],
      "properties": {
        "file": {"type": ["string", "null"], "description": "The file that `--config` named."},
        "read": {"type": "string", "format": "date-time",
          "description": "When it was last read successfully."},
        "keys": {"type": "array", "items": {"$ref": "#/components/schemas/ConfigurationKey"},
          "description": "Every key, in the order of `serve --help`."}}
    })"},
    named_schema{"ConfigurationKey", R"({
      "type": "object", "additionalProperties": false,
      "required": ["name", "value", "hidden", "default", "source", "place", "reloadable",
        "needs_restart", "next_value"],
      "properties": {
        "name": {"type": "string", "description": "The key, such as `request-timeout-ms`."},
        "value": {"type": ["string", "null"],
          "description": "The value in force, lists with commas; null: none, or hidden."},
        "hidden": {"type": "boolean",
          "description": "Whether the value is left out because it may contain a secret."},
        "default": {"type": ["string", "null"],
          "description": "The value if none is given; null: none."},
        "source": {"$ref": "#/components/schemas/ConfigurationSource",
          "description": "Where the value comes from."},
        "place": {"type": "string",
          "description": "The flag, the variable, or file and line; empty for a default."},
        "reloadable": {"type": "boolean",
          "description": "Whether a reload applies a change; otherwise it needs a restart."},
        "needs_restart": {"type": "boolean",
          "description": "Whether another value takes effect at the next restart."},
        "next_value": {"type": ["string", "null"],
          "description": "The value after a restart."}}
    })"},
    named_schema{"ConfigurationSource", R"({"description": "Where a value comes from."})",
                 base::config_source_names},
};

constexpr std::string_view levels_example =
    R"({"in_force":{"service":"info","store":"debug","catalog":"info",)"
    R"("exports":"info","avatars":"info","housekeeping":"info","http":"info",)"
    R"("tls":"info","geoip":"info","actors":"info","faults":"info"},)"
    R"("configured":{"service":"info","store":"info","catalog":"info",)"
    R"("exports":"info","avatars":"info","housekeeping":"info","http":"info",)"
    R"("tls":"info","geoip":"info","actors":"info","faults":"info"}})";

constexpr std::array level_schemas{
    named_schema{"LogLevelChange", R"({
      "type": "object", "additionalProperties": {"$ref": "#/components/schemas/LogLevel"},
      "propertyNames": {"$ref": "#/components/schemas/LogSubject"},
      "description": "Levels by subject."
    })"},
    named_schema{"LogSubject", R"({"description": "What lines of the log are about."})",
                 base::log_subject_names},
    named_schema{"LogLevel", R"({"description": "The least severe lines that are logged."})",
                 std::span{base::log_level_names}.first<4>()},
    named_schema{"LogLevels", R"({
      "type": "object", "additionalProperties": false, "required": ["in_force", "configured"],
      "properties": {
        "in_force": {"$ref": "#/components/schemas/LogLevelChange",
          "description": "The level of each subject now."},
        "configured": {"$ref": "#/components/schemas/LogLevelChange",
          "description": "The configured level of each subject."}}
    })"},
};

} // namespace

const operation_code codes::get_config{
    [] {
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Show the configuration of the service",
          .description = "Every key with its value, where the value comes from, and whether a "
                         "reload (SIGHUP, `matchcloud reload`) applies a change. Passwords and "
                         "secrets are left out.",
          .answers = {{200, "The configuration in force.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/Configuration"})",
                       R"({"file":"/etc/matchcloud/matchcloud.toml",)"
                       R"("read":"2026-11-25T00:00:00.000Z","keys":[{"name":"auth",)"
                       R"("value":"required","hidden":false,"default":"open","source":"file",)"
                       R"("place":"/etc/matchcloud/matchcloud.toml:3: auth","reloadable":true,)"
                       R"("needs_restart":false,"next_value":"required"}]})"}},
          .schemas = key_schemas}};
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
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Show the levels of the log",
          .description = "The level in force for each subject, and the configured one "
                         "(`log-level`, `log-levels`).",
          .answers = {{200, "The levels.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/LogLevels"})", levels_example}},
          .schemas = level_schemas}};
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
      return operation_references{operation_reference{
          .tag = "reports",
          .summary = "Change the levels of the log",
          .description = "Takes effect at once, until the configuration is read again or the "
                         "service restarts. Subjects that are left out return to their configured "
                         "level, so `{}` undoes all changes. `Content-Type` is ignored.",
          .body = {.schema = R"({"$ref":"#/components/schemas/LogLevelChange"})",
                   .description = "A level for each subject that should differ from its configured "
                                  "level.",
                   .example = R"({"store":"debug","http":"error"})"},
          .answers = {{200, "The levels.", cache_control, json_type,
                       R"({"$ref":"#/components/schemas/LogLevels"})", levels_example}},
          .errors = {errc::query_invalid}}};
    },
    [](const request_context& asked) {
      if (!asked.takes_body()) return;
      asked.forward(base::owner::administration,
                    actors::change_log_levels{asked.exchange(), asked.body(), asked.author(),
                                              asked.ticket()});
    }};

} // namespace matchcloud::http
