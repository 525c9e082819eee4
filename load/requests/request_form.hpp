#pragma once

#include "load/requests/expectation.hpp"
#include "load/requests/table_reader.hpp"
#include "load/requests/text_template.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The destination of requests and what all of them contain.
struct request_frame {
  /// The value of the Host header.
  std::string authority;
  /// The prefix of each path; does not end with a slash.
  std::string base_path;
  /// Further header lines, `Name: value`.
  std::vector<std::string> header_lines;
  /// Whether each connection carries only one request (`Connection: close`).
  bool closes = false;
  /// Whether each connection adds its bearer token to its requests.
  bool has_token = false;
};

/// The bytes of a request.
struct request_bytes {
  std::string text;
  /// The offset at which to insert the connection's token; 0: no token.
  std::size_t token_at = 0;
};

/// Whether the program itself sets this header.
bool is_own_header(std::string_view name) noexcept;

/// Adds memory of requests to that of all requests of a run, which are made before the first one is
/// sent. Throws `base::failure` with `config_invalid` if they take more than 2 GiB.
void add_bytes(std::size_t& sum_bytes, std::size_t more);

/// A request's first lines: the request line with `target` as it is, `Host`, and the frame's lines
/// for all requests. Each line has its line end; the final empty line is missing.
request_bytes begin_request(const request_frame& frame, std::string_view method,
                            std::string_view target);

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
  /// The status that a reply must have; 0 means any below 500.
  int status = 200;
  expectation expected;

  /// Whether one of its templates is such.
  bool any_template(const std::function<bool(const text_template&)>& is_such) const;
};

/// The template in `text`, which `node` has or names. Throws like the reader.
text_template read_template(const table_reader& reader, std::string_view key,
                            const toml::node& node, const std::string& text,
                            std::span<const std::string> saved);
/// Reads one key of a table that describes a request. Returns whether it is a known key: `method`,
/// `path`, `headers`, `body`, `body_file` or `expect`. `saved`: the names of the values that its
/// templates can use.
bool read_form_key(const table_reader& reader, std::string_view key, const toml::node& node,
                   std::span<const std::string> saved, request_form& to);
/// Checks what cannot be checked before all keys are read. `lines`: the lines of the part.
void check_form(const table_reader& reader, const toml::table& table, const request_form& form,
                const std::vector<std::string>& lines);
/// The names that `read_form_key` knows, for messages.
inline constexpr std::string_view form_keys = "method, path, headers, body, body_file, expect";

/// The request with its placeholders filled. A target that begins with a saved value is sent as the
/// server wrote it (only the path and query of a URL), without the frame's base path. Fails with
/// `config_invalid` if a saved value does not fit; the detail begins with a verb.
base::expected<request_bytes> make_request(const request_form& form, const request_frame& frame,
                                           const text_template::values& values);

/// One request of a flow.
struct flow_step {
  struct saving {
    /// The index in `mix_part::values`.
    std::size_t to;
    /// A JSON pointer, the name of a header, or `:bytes`, the number of body bytes that arrived.
    std::string from;
    /// The place of a JSON pointer.
    std::optional<json_place> place;
  };

  std::string name;
  request_form form;
  std::vector<saving> saves;
  /// The number of body bytes after which the connection is closed; 0: it is not closed.
  std::size_t cut_bytes = 0;
};

inline constexpr std::string_view saved_length = ":bytes";
inline constexpr std::size_t saved_value_limit_bytes = 64UL * 1024;

/// Saves values from the reply for the flow's later steps. `body` is decoded; `arrived` is the
/// number of body bytes as sent. Returns what is missing, or nothing (empty).
std::string save_values(const flow_step& step, std::string_view head, std::string_view body,
                        std::size_t arrived, std::vector<std::string>& to);

} // namespace matchcloud::load
