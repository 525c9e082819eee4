#include "app/commands/token_subcommand.hpp"

#include "app/commands/store_options.hpp"

#include "cli/print.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <iostream>
#include <vector>

namespace matchcloud::app {

CLI::App* add_token_subcommand(CLI::App& to, const std::string& name, const std::string& what,
                               token_options& options) {
  auto* command = to.add_subcommand(name, what);
  add_store_options(*command, options.store);
  return command;
}

void add_token_format(CLI::App& command, token_options& options, const std::string& plain,
                      const std::string& what) {
  options.format = plain;
  auto* option = command.add_option("--format", options.format, what)->capture_default_str();
  cli::set_choices(*option, {plain, "json"});
}

void add_token_id(CLI::App& command, token_options& options) {
  command.add_option("ID", options.id, "The token's full id, as shown by list.")->required();
}

base::expected<model::uuid> parse_token_id(const std::string& text) {
  if (const auto id = model::parse_uuid(text)) return *id;
  // If a token's text was given instead of its id, the message does not repeat it.
  return base::fail(
      base::errc::id_malformed,
      model::quoted_excerpt(model::redact_tokens(text)) +
          " is not a token's id; give all 36 characters, as `matchcloud token list` shows them");
}

std::string described(const model::access_token& one) {
  return "token " + to_string(one.token_id) + " (" + std::string{name_of(one.what.kind)} + " \"" +
         one.what.name + "\")";
}

std::string time_or_never(const std::optional<std::int64_t>& ms) {
  return ms ? model::format_timestamp(*ms) : "never";
}

int report_failure(std::string_view command, const base::error& why) {
  cli::say("matchcloud token " + std::string{command}, why.detail);
  const bool is_wrong_line =
      why.code == base::errc::id_malformed || why.code == base::errc::query_invalid;
  return is_wrong_line ? usage : failed;
}

} // namespace matchcloud::app
