#pragma once

#include "base/expected.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Gives the value of an environment variable, or nothing if it is not set.
using environment = std::function<std::optional<std::string>(const char* name)>;

/// The environment of this process. Any thread, as long as it does not change.
environment process_environment();

/// The region that `AWS_REGION` names, or else `AWS_DEFAULT_REGION`; empty if neither does.
std::string given_region(const environment& from);

/// The value of a variable; empty if it is not set.
std::string or_empty(const environment& from, std::string_view name);

/// An error with `config_invalid`, as all about settings and credentials have it.
tl::unexpected<base::error> refuse_s3(std::string why);

/// A text that must not get into logs, errors or output: it must be accessed explicitly by name,
/// and is overwritten on destruction. Immutable.
class s3_secret {
public:
  explicit s3_secret(std::string text) noexcept : text_{std::move(text)} {}
  s3_secret(const s3_secret&) = delete;
  s3_secret& operator=(const s3_secret&) = delete;
  ~s3_secret();

  const std::string& revealed() const noexcept { return text_; }

private:
  std::string text_;
};

/// The credentials for an object storage. Immutable; any thread.
struct s3_credentials {
  std::string access_key_id;
  s3_secret secret_access_key;
  /// The token of temporary credentials; empty otherwise.
  s3_secret session_token;

  s3_credentials(std::string id, std::string secret, std::string token) noexcept
      : access_key_id{std::move(id)},
        secret_access_key{std::move(secret)},
        session_token{std::move(token)} {}
};

using s3_credentials_ptr = std::shared_ptr<const s3_credentials>;

/// Whether two credentials are equal in all parts.
bool are_equal(const s3_credentials& a, const s3_credentials& b) noexcept;

/// Makes credentials from their parts. Fails with `config_invalid` and a reason that shows none of
/// them if one is missing or cannot be in a header. `token` may be empty.
base::expected<s3_credentials_ptr> make_credentials(std::string id, std::string secret,
                                                    std::string token);

/// Reads the credentials of a profile from the text of a credentials file: sections in brackets,
/// `name = value` in lines, comments behind `#` or `;` at the start of a line. Ignores unknown
/// names and the sections of other profiles. Fails with `config_invalid` for a line of another
/// form, for a name or a section that appears twice, and for a profile that is missing or
/// incomplete; the detail has the line's number, but not its content.
base::expected<s3_credentials_ptr> read_credentials(std::string_view text,
                                                    std::string_view profile);

} // namespace matchcloud::store
