#include "store/secrets/secret_versions.hpp"

#include "base/decimal.hpp"
#include "base/hexadecimal.hpp"
#include "base/randomness.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

/// The creation time of a version. Engines accept none before 1970, which a machine without a clock
/// battery may report when it starts.
std::int64_t kept_time(std::int64_t now_ts) {
  return std::max<std::int64_t>(now_ts, 0);
}

tl::unexpected<base::error> too_many(const secret_versions& versions) {
  const auto first_end =
      std::ranges::min(versions, {}, &secret_version::accepted_until_ts).accepted_until_ts;
  return base::fail(
      base::errc::store_failed,
      fmt::format(
          "There are {} keys already that URLs in use may be signed with; the first of them "
          "expires at {}. Rotate again then, or revoke them all with --revoke.",
          secret_versions_limit,
          model::format_timestamp(
              std::clamp<std::int64_t>(first_end, 0, model::timestamp_limit_ms))));
}

} // namespace

secret_version new_secret_version(std::int64_t now_ts) {
  secret_version made;
  base::fill_random(made.secret);
  made.created_ts = kept_time(now_ts);
  return made;
}

base::expected<secret_versions> rotated(const secret_versions& before, std::int64_t now_ts,
                                        replaced_secrets replaced) {
  secret_versions after{new_secret_version(now_ts)};
  if (replaced == replaced_secrets::revoke) return after;
  const auto end_ts = kept_time(now_ts) +
                      std::chrono::milliseconds{signature_lifetime_limit + secret_grace}.count();
  for (auto each : before) {
    if (each.accepted_until_ts == until_replaced_ts) each.accepted_until_ts = end_ts;
    if (each.is_accepted(now_ts)) after.push_back(each);
  }
  if (after.size() > secret_versions_limit) return too_many(after);
  return after;
}

namespace {

/// Written instead of a time for the newest version.
constexpr std::string_view current_mark = "current";
constexpr std::string_view format_comment =
    "# The secret keys that matchcloud signs URLs with. Made again by: matchcloud signing-key "
    "rotate\n"
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

std::string render_secrets(const secret_versions& versions) {
  std::string text{format_comment};
  for (const auto& each : versions) {
    text += each.accepted_until_ts == until_replaced_ts ? std::string{current_mark}
                                                        : std::to_string(each.accepted_until_ts);
    text += ' ';
    base::append_hexadecimal(text, each.secret);
    text += fmt::format(" {}\n", each.created_ts);
  }
  return text;
}

base::failure damaged_secrets(const std::string& path, std::size_t line,
                              std::string_view expected) {
  return {
      base::errc::store_failed,
      "{}:{}: expected {}. Replace it with the file of a backup with secrets (`matchcloud backup "
      "--with-secrets`), or remove it: then a new key is made, and all URLs signed so far are "
      "refused.",
      path, line, expected};
}

secret_versions parse_secrets(const std::string& path, std::string_view text) {
  secret_versions versions;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == text.npos) throw damaged_secrets(path, line, "a line end: the file is cut off");
    const auto content = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (content.starts_with('#')) continue;
    const auto parsed = parse_line(content, versions.empty());
    if (!parsed)
      throw damaged_secrets(path, line, versions.empty() ? first_expected : next_expected);
    if (versions.size() == secret_versions_limit)
      throw damaged_secrets(path, line,
                            fmt::format("the end: at most {} keys", secret_versions_limit));
    versions.push_back(*parsed);
  }
  if (versions.empty()) throw damaged_secrets(path, line + 1, first_expected);
  return versions;
}

} // namespace matchcloud::store
