#include "store/exports/signing_keys.hpp"

#include "base/decimal.hpp"
#include "base/hexadecimal.hpp"
#include "base/io_failure.hpp"
#include "base/randomness.hpp"
#include "base/sync_directory.hpp"
#include "model/text/timestamp.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/files/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>

namespace matchcloud::store {

namespace {

using key = signing_keys::key;

constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
/// Stands in place of the newest key's time.
constexpr std::string_view current_mark = "current";
constexpr std::string_view first_line =
    "# The secret keys that matchcloud signs URLs with, newest first, each with the time up to "
    "which it is accepted (milliseconds since 1970). For the service's user alone (mode 600). "
    "Made anew by: matchcloud signing-key rotate\n";
/// The size limit of the file; `signing_keys_limit` lines take a fraction of it.
constexpr std::size_t file_limit_bytes = 16UL * 1024;
/// Allows for clock differences between machines and for the time between signing and checking.
constexpr std::chrono::minutes grace{1};

tl::unexpected<base::error> failure(std::string_view path, std::string_view operation, int code) {
  return base::io_failure(path, operation, code, base::errc::store_failed);
}

std::string path_in(const std::string& data_dir) {
  return data_dir + "/signing-keys";
}

base::signing_secret random_secret() {
  base::signing_secret secret{};
  base::fill_random(secret);
  return secret;
}

std::string render(const std::vector<key>& keys) {
  std::string text{first_line};
  for (const auto& each : keys) {
    text += each.accepted_until_ts == end_of_time ? std::string{current_mark}
                                                  : std::to_string(each.accepted_until_ts);
    text += ' ';
    base::append_hexadecimal(text, each.secret);
    text += '\n';
  }
  return text;
}

std::optional<base::signing_secret> parse_secret(std::string_view text) {
  base::signing_secret secret{};
  if (text.size() != 2 * secret.size()) return std::nullopt;
  if (text.find_first_not_of("0123456789abcdef") != text.npos) return std::nullopt;
  for (std::size_t i = 0; i < secret.size(); ++i)
    std::from_chars(&text[2 * i], &text[2 * i] + 2, secret[i], 16);
  return secret;
}

/// Parses a line of the file. `is_first`: the line of the key that signs.
std::optional<key> parse_line(std::string_view line, bool is_first) {
  const auto space = line.find(' ');
  if (space == line.npos) return std::nullopt;
  const auto until = line.substr(0, space);
  const auto secret = parse_secret(line.substr(space + 1));
  if (!secret || (until == current_mark) != is_first) return std::nullopt;
  if (is_first) return key{*secret, end_of_time};
  const auto until_ts = base::parse_decimal<std::int64_t>(until);
  if (!until_ts || *until_ts < 0) return std::nullopt;
  return key{*secret, *until_ts};
}

/// Says where the file is damaged and what was expected, but not what was found, which may be
/// secret.
tl::unexpected<base::error> damaged(const std::string& path, std::size_t line,
                                    std::string_view expected) {
  std::string detail = path + ":" + std::to_string(line) + ": expected ";
  detail.append(expected);
  detail += ". Restore the file from a backup, or remove it: then a new key is made, and all URLs "
            "signed so far are refused.";
  return base::fail(base::errc::store_failed, std::move(detail));
}

base::expected<std::vector<key>> parse(const std::string& path, std::string_view text) {
  std::vector<key> keys;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == text.npos) return damaged(path, line, "a line end: the file is cut off");
    const auto content = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (content.starts_with('#')) continue;
    const auto parsed = parse_line(content, keys.empty());
    if (!parsed)
      return damaged(path, line,
                     keys.empty() ? "\"current KEY\", the key being 64 digits of 0-9a-f"
                                  : "\"MILLISECONDS KEY\", the key being 64 digits of 0-9a-f");
    keys.push_back(*parsed);
    if (keys.size() > signing_keys_limit)
      return damaged(path, line,
                     "the end: at most " + std::to_string(signing_keys_limit) + " keys");
  }
  if (keys.empty()) return damaged(path, line + 1, "\"current KEY\", the key that signs");
  return keys;
}

base::expected<void> check_private(const std::string& path, const struct stat& found) {
  if (!S_ISREG(found.st_mode))
    return base::fail(base::errc::store_failed,
                      path + ": not a regular file. Move it away: then a new key is made.");
  if ((found.st_mode & 077U) == 0) return {};
  return base::fail(base::errc::store_failed,
                    path +
                        ": others than its owner may use this file of secret keys. Do `chmod "
                        "600 " +
                        path +
                        "`; where somebody may have read it, then also "
                        "`matchcloud signing-key rotate --revoke`.");
}

/// Reads the keys from the file; returns nothing if there is no file.
base::expected<std::optional<std::vector<key>>> read(const std::string& path) {
  // Non-blocking: opening a named pipe in its place must not wait for the other end.
  const base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return failure(path, "open the file", errno);
  if (auto checked = check_private(path, found); !checked) return tl::unexpected(checked.error());
  std::string text(file_limit_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(path, "read the file", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > file_limit_bytes)
    return damaged(path, 1, "at most " + std::to_string(file_limit_bytes) + " bytes");
  auto keys = parse(path, std::string_view{text}.substr(0, size));
  if (!keys) return tl::unexpected(keys.error());
  return std::optional{*std::move(keys)};
}

/// Writes the keys to a synced file that has no lasting name yet.
base::expected<new_file> write_aside(const temporary_folder& folder, const std::vector<key>& keys) {
  auto file = new_file::create(folder.path() + "/signing-keys");
  if (!file) return file;
  auto written = file->append(render(keys)).and_then([&] { return file->sync(); });
  if (!written) return tl::unexpected(written.error());
  return file;
}

/// Creates the file with one key, unless another process creates it first.
base::expected<void> create(const std::string& data_dir) {
  const auto folder = temporary_folder::make(data_dir);
  if (!folder) return tl::unexpected(folder.error());
  auto file = write_aside(*folder, {{random_secret(), end_of_time}});
  if (!file) return tl::unexpected(file.error());
  if (auto linked = file->link_to(path_in(data_dir)); !linked)
    return tl::unexpected(linked.error());
  // Sync even if another process created the file: URLs signed with its key must stay valid after a
  // power failure.
  return base::sync_directory(data_dir);
}

/// Returns the keys after a rotation, newest first.
base::expected<std::vector<key>> rotated(const std::vector<key>& keys, std::int64_t now_ts,
                                         replaced_keys replaced) {
  std::vector<key> after{{random_secret(), end_of_time}};
  if (replaced == replaced_keys::revoke) return after;
  constexpr auto still_accepted =
      std::chrono::milliseconds{signature_lifetime_limit + grace}.count();
  for (auto each : keys) {
    if (each.accepted_until_ts == end_of_time) each.accepted_until_ts = now_ts + still_accepted;
    if (each.accepted_until_ts > now_ts) after.push_back(each);
  }
  if (after.size() <= signing_keys_limit) return after;
  const auto first_end =
      std::min_element(after.begin(), after.end(), [](const key& a, const key& b) {
        return a.accepted_until_ts < b.accepted_until_ts;
      })->accepted_until_ts;
  return base::fail(
      base::errc::store_failed,
      "There are " + std::to_string(signing_keys_limit) +
          " keys already that URLs in use may be signed with; the first of them ends at " +
          model::format_timestamp(
              std::clamp<std::int64_t>(first_end, 0, model::timestamp_limit_ms)) +
          ". Rotate again then, or revoke them all with --revoke.");
}

} // namespace

base::expected<signing_keys> signing_keys::load(const std::string& data_dir) {
  const auto path = path_in(data_dir);
  auto found = read(path);
  if (found && !*found) {
    if (auto created = create(data_dir); !created) return tl::unexpected(created.error());
    found = read(path);
  }
  if (!found) return tl::unexpected(found.error());
  if (!*found)
    return base::fail(base::errc::store_failed, path + ": removed while it was made. Try again.");
  return signing_keys{**std::move(found)};
}

std::string signing_keys::sign(std::string_view text) const {
  return base::sign(keys_.front().secret, text);
}

bool signing_keys::accepts(std::string_view text, std::string_view signature,
                           std::int64_t now_ts) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const key& each) {
    return now_ts < each.accepted_until_ts && base::is_signed(each.secret, text, signature);
  });
}

base::expected<void> rotate_signing_keys(const std::string& data_dir, std::int64_t now_ts,
                                         replaced_keys replaced) {
  // Excludes other rotations. Nothing below takes this lock again: the temporary folder has a lock
  // of its own.
  const auto alone = directory_lock::acquire(data_dir);
  if (!alone) return tl::unexpected(alone.error());
  const auto before = signing_keys::load(data_dir);
  if (!before) return tl::unexpected(before.error());
  const auto after = rotated(before->keys(), now_ts, replaced);
  if (!after) return tl::unexpected(after.error());
  const auto folder = temporary_folder::make(data_dir);
  if (!folder) return tl::unexpected(folder.error());
  auto file = write_aside(*folder, *after);
  if (!file) return tl::unexpected(file.error());
  if (auto named = file->rename_to(path_in(data_dir)); !named) return named;
  return base::sync_directory(data_dir);
}

} // namespace matchcloud::store
