#pragma once

#include "load/requests/expectation.hpp"
#include "load/requests/request_frame.hpp"
#include "load/requests/table_reader.hpp"
#include "load/requests/text_template.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::load {

/// A request to any HTTP server, and what its reply must have. Immutable; any thread.
struct request_form {
  struct header_form {
    std::string name;
    text_template value;
  };

  std::string method = "GET";
  /// The path with its query.
  text_template target;
  std::vector<header_form> headers;
  std::optional<text_template> body;
  /// The status that a reply must have.
  int status = 200;
  expectation expected;

  bool uses_line() const noexcept;
  /// Whether all requests are the same.
  bool is_constant() const noexcept;
};

/// Reads one key of a table that describes a request. Returns whether it is a known key: `method`,
/// `path`, `headers`, `body`, `body_file` or `expect`. `saved`: the names of the values that its
/// templates can use.
bool read_form_key(table_reader& reader, std::string_view key, const toml::node& node,
                   std::span<const std::string> saved, request_form& to);
/// Checks what cannot be checked before all keys are read. `lines`: the lines of the part.
void check_form(table_reader& reader, const toml::table& table, const request_form& form,
                const std::vector<std::string>& lines);
/// The names that `read_form_key` knows, for messages.
inline constexpr std::string_view form_keys = "method, path, headers, body, body_file, expect";

/// The request with its placeholders filled. A target that begins with a saved value is sent as the
/// server wrote it (only the path and query of a URL), without the frame's base path. Fails with
/// `config_invalid` if a saved value does not fit; the detail begins with a verb.
base::expected<request_bytes> make_request(const request_form& form, const request_frame& frame,
                                           const text_template::values& values);

} // namespace matchcloud::load
