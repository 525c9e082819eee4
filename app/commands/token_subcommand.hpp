#pragma once

#include "app/commands/commands.hpp"
#include "base/expected.hpp"
#include "model/access/access_token.hpp"
#include "store/engines/store_place.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

// What the subcommands of `token` share.

struct token_options {
  store::store_place store;
  std::string format;
  std::string id;
};

CLI::App* add_token_subcommand(CLI::App& to, const std::string& name, const std::string& what,
                               token_options& options);
/// Adds `--format`, which is `plain` or `json`.
void add_token_format(CLI::App& command, token_options& options, const std::string& plain,
                      const std::string& what);
void add_token_id(CLI::App& command, token_options& options);

// Subcommands that make a token's text.
void add_token_create(CLI::App& token, int& code);
void add_token_rotate(CLI::App& token, int& code);

/// Fails with `id_malformed`; the detail never contains a token's text.
base::expected<model::uuid> parse_token_id(const std::string& text);

/// `token 2f.. (game "Build")`.
std::string described(const model::access_token& one);
std::string time_or_never(const std::optional<std::int64_t>& ms);

/// Prints an error of `matchcloud token COMMAND`; returns the exit code.
int report_failure(std::string_view command, const base::error& why);

} // namespace matchcloud::app
