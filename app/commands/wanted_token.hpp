#pragma once

#include "base/expected.hpp"
#include "model/access/access_token.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// The options that say which token to create; empty: not given.
struct wanted_token {
  std::string kind;
  std::string name;
  std::string game;
  std::string game_namespace;
  std::string expires;
  std::string limit_cheap;
  std::string limit_expensive;
};

void add_wanted_token_options(CLI::App& command, wanted_token& options);

/// Reads the options. Fails with `query_invalid` and what is allowed.
base::expected<model::new_token> read_wanted_token(const wanted_token& options,
                                                   std::int64_t now_ms);

} // namespace matchcloud::app
