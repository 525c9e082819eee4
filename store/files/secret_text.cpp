#include "store/files/secret_text.hpp"

#include "base/decimal.hpp"
#include "base/hexadecimal.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace matchcloud::store {

namespace {

/// Written instead of a time for the newest version.
constexpr std::string_view current_mark = "current";
constexpr std::string_view format_comment =
    "# Newest first, one per line: until when it is accepted, the secret, and when it was made "
    "(milliseconds since 1970). Only for the service's user (mode 600).\n";
constexpr std::string_view first_expected =
    "\"current SECRET CREATED\", where SECRET has 64 digits of 0-9a-f and CREATED is in "
    "milliseconds";
constexpr std::string_view next_expected =
    "\"MILLISECONDS SECRET CREATED\", where SECRET has 64 digits of 0-9a-f and CREATED is in "
    "milliseconds";

std::optional<base::secret_bytes> parse_secret(std::string_view text) {
  base::secret_bytes secret{};
  if (text.size() != 2 * secret.size()) return std::nullopt;
  if (text.find_first_not_of("0123456789abcdef") != text.npos) return std::nullopt;
  for (std::size_t i = 0; i < secret.size(); ++i)
    std::from_chars(&text[2 * i], &text[2 * i] + 2, secret[i], 16);
  return secret;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto time = base::parse_decimal<std::int64_t>(text);
  return time && *time >= 0 ? time : std::nullopt;
}

/// Parses a line of the file. `is_newest`: the first one.
std::optional<secret_version> parse_line(std::string_view line, bool is_newest) {
  const auto space = line.find(' ');
  if (space == line.npos) return std::nullopt;
  const auto until = line.substr(0, space);
  const auto rest = line.substr(space + 1);
  const auto second_space = rest.find(' ');
  if (second_space == rest.npos) return std::nullopt;
  const auto secret = parse_secret(rest.substr(0, second_space));
  const auto created_ts = parse_time(rest.substr(second_space + 1));
  if (!secret || !created_ts || (until == current_mark) != is_newest) return std::nullopt;
  if (is_newest) return secret_version{*secret, *created_ts, until_replaced_ts};
  const auto until_ts = parse_time(until);
  if (!until_ts || *until_ts == until_replaced_ts) return std::nullopt;
  return secret_version{*secret, *created_ts, *until_ts};
}

} // namespace

std::string render_secrets(secret_name name, const secret_versions& versions) {
  std::string text = "# ";
  text.append(facts_of(name).purpose).append("\n").append(format_comment);
  for (const auto& each : versions) {
    text += each.accepted_until_ts == until_replaced_ts ? std::string{current_mark}
                                                        : std::to_string(each.accepted_until_ts);
    text += ' ';
    base::append_hexadecimal(text, each.secret);
    text += ' ' + std::to_string(each.created_ts) + '\n';
  }
  return text;
}

base::failure damaged_secrets(secret_name name, const std::string& path, std::size_t line,
                              std::string_view expected) {
  const auto& facts = facts_of(name);
  std::string detail = path + ":" + std::to_string(line) + ": expected ";
  detail.append(expected).append(". Replace it with the file of a backup with secrets (`matchcloud "
                                 "backup --with-secrets`), or remove it: then a new ");
  detail.append(facts.noun).append(" is made, and ").append(facts.loss).append(".");
  return {base::errc::store_failed, std::move(detail)};
}

secret_versions parse_secrets(secret_name name, const std::string& path, std::string_view text) {
  const auto& facts = facts_of(name);
  secret_versions versions;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == text.npos)
      throw damaged_secrets(name, path, line, "a line end: the file is cut off");
    const auto content = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (content.starts_with('#')) continue;
    const auto parsed = parse_line(content, versions.empty());
    if (!parsed)
      throw damaged_secrets(name, path, line, versions.empty() ? first_expected : next_expected);
    if (versions.size() == facts.versions_limit)
      throw damaged_secrets(name, path, line,
                            "the end: at most " + std::to_string(facts.versions_limit) + " " +
                                std::string{facts.noun} + "s");
    versions.push_back(*parsed);
  }
  if (versions.empty()) throw damaged_secrets(name, path, line + 1, first_expected);
  return versions;
}

} // namespace matchcloud::store
