#include "store/s3/s3_credentials.hpp"

#include "base/characters.hpp"

#include <openssl/crypto.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

/// A key has 16 to 128 of them in AWS, a token some hundreds.
constexpr std::size_t part_limit_bytes = 8UL * 1024;

/// An id is part of a signature's scope, where slashes and commas are separators.
constexpr base::character_set id_characters{
    [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '/' && c != ','; }};

bool can_be_sent(std::string_view text, const base::character_set& of) noexcept {
  return text.size() <= part_limit_bytes && of.contains_all(text);
}

/// The values read from a profile.
struct found_parts {
  static constexpr std::array<std::string_view, 3> names{
      "aws_access_key_id", "aws_secret_access_key", "aws_session_token"};

  std::array<std::optional<std::string_view>, 3> values;

  /// The value of a name; null for other names.
  std::optional<std::string_view>* of(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &values[i];
    return nullptr;
  }
};

/// Reads a file line by line.
class profile_reader {
public:
  explicit profile_reader(std::string_view profile) noexcept : profile_{profile} {}

  base::expected<void> take(std::string_view line) {
    ++number_;
    line = base::trimmed(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') return {};
    if (line.front() == '[') return begin_section(line);
    const auto equals = line.find('=');
    if (equals == line.npos || equals == 0) return broken("is neither [PROFILE] nor NAME = VALUE");
    if (!in_any_) return broken("is before the first [PROFILE]");
    if (!in_wanted_) return {};
    auto* const value = parts_.of(base::trimmed(line.substr(0, equals)));
    if (value == nullptr) return {};
    if (*value) return broken("sets a value for the second time");
    *value = base::trimmed(line.substr(equals + 1));
    return {};
  }

  bool found() const noexcept { return found_; }
  const found_parts& parts() const noexcept { return parts_; }

private:
  base::expected<void> begin_section(std::string_view line) {
    if (line.size() < 3 || line.back() != ']') return broken("is not a [PROFILE]");
    in_any_ = true;
    in_wanted_ = base::trimmed(line.substr(1, line.size() - 2)) == profile_;
    if (in_wanted_ && std::exchange(found_, true))
      return broken("begins the same profile a second time");
    return {};
  }

  tl::unexpected<base::error> broken(const std::string& why) const {
    return refuse_s3("line " + std::to_string(number_) + " " + why);
  }

  std::string_view profile_;
  std::size_t number_ = 0;
  bool in_any_ = false;
  bool in_wanted_ = false;
  bool found_ = false;
  found_parts parts_;
};

} // namespace

environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const auto* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::string given_region(const environment& from) {
  const auto region = or_empty(from, "AWS_REGION");
  return region.empty() ? or_empty(from, "AWS_DEFAULT_REGION") : region;
}

std::string or_empty(const environment& from, std::string_view name) {
  return from(std::string{name}.c_str()).value_or("");
}

tl::unexpected<base::error> refuse_s3(std::string why) {
  return base::fail(base::errc::config_invalid, std::move(why));
}

s3_secret::~s3_secret() {
  OPENSSL_cleanse(text_.data(), text_.size());
}

bool are_equal(const s3_credentials& a, const s3_credentials& b) noexcept {
  return a.access_key_id == b.access_key_id &&
         a.secret_access_key.revealed() == b.secret_access_key.revealed() &&
         a.session_token.revealed() == b.session_token.revealed();
}

base::expected<s3_credentials_ptr> make_credentials(std::string id, std::string secret,
                                                    std::string token) {
  if (id.empty()) return refuse_s3("the access key id is missing");
  if (secret.empty()) return refuse_s3("the secret access key is missing");
  if (!can_be_sent(id, id_characters))
    return refuse_s3("the access key id has a character that no id has");
  if (!can_be_sent(secret, base::visible_characters))
    return refuse_s3("the secret access key has a character that no key has");
  if (!can_be_sent(token, base::visible_characters))
    return refuse_s3("the session token has a character that no token has, or is too long");
  return std::make_shared<const s3_credentials>(std::move(id), std::move(secret), std::move(token));
}

base::expected<s3_credentials_ptr> read_credentials(std::string_view text,
                                                    std::string_view profile) {
  profile_reader reader{profile};
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (auto taken = reader.take(text.substr(0, end)); !taken) return tl::unexpected(taken.error());
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  const auto named = "profile '" + std::string{profile} + "'";
  if (!reader.found()) return refuse_s3("it has no " + named);
  const auto& values = reader.parts().values;
  const auto part = [&](std::size_t i) { return std::string{values[i].value_or("")}; };
  auto made = make_credentials(part(0), part(1), part(2));
  if (!made) return refuse_s3(named + ": " + made.error().detail);
  return made;
}

} // namespace matchcloud::store
