#pragma once

#include "tests/service/server.hpp"

#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// A token that the ops plane made.
struct made_token {
  std::string id;
  std::string text;
};

/// Asks the ops plane by its address; `headers` are complete lines.
answer ask_ops(const server& of, std::string_view method, std::string_view target,
               std::string_view body = {}, std::string_view headers = {});

/// Has the ops plane make a token; `members` are JSON members after kind and name, each behind a
/// comma. `by`: the caller's token; empty: none is needed.
made_token create_token(const server& at, std::string_view kind, std::string_view members = {},
                        std::string_view by = {});

/// The header line that sends a token.
std::string bearer(std::string_view token);

} // namespace matchcloud::e2e
