#pragma once

#include "base/expected.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::cli {

inline constexpr std::size_t token_limit_bytes = 256;
inline constexpr std::size_t token_count_limit = 100'000;
inline constexpr std::size_t token_file_limit_bytes = 16UL * 1024 * 1024;
/// The environment variable with the token for programs called without `--token-file`.
inline constexpr const char* token_variable = "MATCHCLOUD_TOKEN";

/// The tokens that a program was given. No message may contain one.
struct bearer_tokens {
  /// In the order of the file.
  std::vector<std::string> tokens;
  /// A line for stderr if others can read the file, otherwise empty.
  std::string warning;
};

/// Reads the tokens of `file` (`-` is stdin), at least one. If `file` is empty, reads the token in
/// `MATCHCLOUD_TOKEN`, and none if that is empty or not set. Fails with `config_invalid`, as
/// `parse_bearer_tokens` does.
base::expected<bearer_tokens> read_bearer_tokens(const std::string& file);

/// Parses one token per line, each 1 to `token_limit_bytes` of b64token (RFC 6750 section 2.1).
/// Ignores blanks around a token, blank lines, and lines that begin with `#`. Fails with
/// `config_invalid` if there is no token or one is wrong; the detail has `source`, the line number
/// and what is wrong, but nothing of the line's content.
base::expected<std::vector<std::string>> parse_bearer_tokens(std::string_view text,
                                                             const std::string& source);

/// `text`, which a server sent, with every occurrence of `token` replaced by asterisks, because a
/// server may repeat the request. The length stays the same. Changes nothing if `token` is empty.
std::string with_token_masked(std::string_view text, std::string_view token);

/// Adds `--token-file`, and a `--token` that only says what to use instead, because every user of a
/// machine can read command lines. Returns `--token-file`; pass its value to `read_bearer_tokens`.
CLI::Option* add_token_options(CLI::App& command, std::string& file,
                               const std::string& description);

/// The only token of `--token-file`, or else of the environment; empty: none. Warns in the name of
/// `program` if others can read the file. Throws a CLI::ValidationError.
std::string one_bearer_token(const std::string& file, std::string_view program);

} // namespace matchcloud::cli
