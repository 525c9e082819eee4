#include "cli/bearer_tokens.hpp"

#include "base/characters.hpp"
#include "base/files/secret_access.hpp"
#include "cli/bounded_input.hpp"
#include "cli/command_line.hpp"
#include "cli/print.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

namespace matchcloud::cli {

namespace {

constexpr base::character_set token_bytes{[](unsigned char c) {
  constexpr std::string_view marks = "-._~+/";
  return base::is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// What is wrong with a token, or nothing (empty).
std::string finding_of(std::string_view token) {
  constexpr const char* form = "a token has 1 to 256 characters, A-Z a-z 0-9 - . _ ~ + /, and may "
                               "end with =";
  if (token.size() > token_limit_bytes)
    return std::to_string(token.size()) + " characters; " + form;
  const auto body = token_bytes.span(token);
  const auto end = std::min(token.find_first_not_of('=', body), token.size());
  if (body > 0 && end == token.size()) return {};
  return "character " + std::to_string((body == 0 ? 0 : end) + 1) + " is not allowed there; " +
         form;
}

tl::unexpected<base::error> failure(const std::string& where, const std::string& why) {
  return base::fail(base::errc::config_invalid, where + ": " + why);
}

/// The file's name for messages. Does not repeat a token that was given instead of a file's name.
std::string shown(const std::string& file) {
  if (file == "-") return "stdin";
  return file.starts_with("mc_") ? "--token-file" : file;
}

/// A warning if too many users have access to the file. Only for regular files: the owner of a pipe
/// has chosen its writers and readers.
std::string warning_of(const std::string& file) {
  struct stat found {};
  if (file == "-" || ::stat(file.c_str(), &found) != 0) return {};
  if (!S_ISREG(found.st_mode)) return {};
  const auto exposed = base::secret_exposure(shown(file), found);
  return exposed.empty() ? exposed : shown(file) + ": it contains tokens, and " + exposed;
}

base::expected<bearer_tokens> read_variable() {
  const char* value = std::getenv(token_variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  const auto token = base::trimmed(value == nullptr ? "" : value);
  if (token.empty()) return bearer_tokens{};
  if (const auto wrong = finding_of(token); !wrong.empty()) return failure(token_variable, wrong);
  return bearer_tokens{{std::string{token}}, {}};
}

} // namespace

base::expected<bearer_tokens> read_bearer_tokens(const std::string& file) {
  if (file.empty()) return read_variable();
  const auto text = file == "-" ? read_bounded_stdin(token_file_limit_bytes)
                                : read_bounded_file(file, token_file_limit_bytes);
  if (!text) return failure(shown(file), text.error().detail);
  if (text->size() > token_file_limit_bytes)
    return failure(shown(file), "larger than 16 MiB, the limit for a token file; split it");
  auto tokens = parse_bearer_tokens(*text, shown(file));
  if (!tokens) return tl::unexpected(tokens.error());
  return bearer_tokens{*std::move(tokens), warning_of(file)};
}

base::expected<std::vector<std::string>> parse_bearer_tokens(std::string_view text,
                                                             const std::string& source) {
  std::vector<std::string> tokens;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = base::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const auto where = source + ":" + std::to_string(number);
    if (const auto wrong = finding_of(line); !wrong.empty()) return failure(where, wrong);
    if (tokens.size() == token_count_limit)
      return failure(where, "a file can have at most " + std::to_string(token_count_limit) +
                                " tokens; split it");
    tokens.emplace_back(line);
  }
  if (tokens.empty()) return failure(source, "has no token; add one per line");
  return tokens;
}

std::string with_token_masked(std::string_view text, std::string_view token) {
  std::string masked{text};
  if (token.empty()) return masked;
  for (auto at = masked.find(token); at != masked.npos; at = masked.find(token, at + token.size()))
    masked.replace(at, token.size(), token.size(), '*');
  return masked;
}

CLI::Option* add_token_options(CLI::App& command, std::string& file,
                               const std::string& description) {
  const auto refuse = [&command](const CLI::results_t&) -> bool {
    const bool takes_id = command.get_option_no_throw("--token-id") != nullptr;
    throw CLI::ValidationError{
        "--token", std::string{"every user of this machine could read it; use --token-file FILE, "
                               "or MATCHCLOUD_TOKEN in the environment"} +
                       (takes_id ? ". To choose the requests of a token, use --token-id ID" : "")};
  };
  // Without this option, the message about an unknown option would repeat the token. CLI11 does not
  // print options without a group.
  command.add_option("--token", refuse)->expected(0, 1)->group("");
  return command.add_option("--token-file", file, description)->check(named_file());
}

std::string one_bearer_token(const std::string& file, std::string_view program) {
  const auto read = read_bearer_tokens(file);
  if (!read) throw CLI::ValidationError{read.error().detail};
  if (read->tokens.size() > 1)
    throw CLI::ValidationError{
        "--token-file has " + std::to_string(read->tokens.size()) +
        " tokens, but only one can be sent. Give a file with that token alone"};
  if (!read->warning.empty()) say(program, read->warning);
  return read->tokens.empty() ? std::string{} : read->tokens.front();
}

} // namespace matchcloud::cli
