#pragma once

#include "model/access/access_token.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::model {

/// A token and its text, which cannot be recovered later.
struct issued_token {
  access_token token;
  std::string text;
};

/// Makes a token from unpredictable bytes. `wanted` passed `check_new_token`; `created_by` names
/// the requester.
issued_token make_token(const new_token& wanted, std::string created_by, std::int64_t now_ms);

/// The text of a token of that kind, from unpredictable bytes.
std::string make_token_text(token_kind kind);

token_digest digest_of(std::string_view text);

} // namespace matchcloud::model
