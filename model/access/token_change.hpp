#pragma once

#include "model/access/access_token.hpp"
#include "model/audit/audit.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

// Changes of tokens as the audit log shows them, with digests and never with texts.

audit_change describe_creation(const access_token& made);
/// A rotation or a revocation at `now_ms`.
audit_change describe_change(const access_token& before, const access_token& after,
                             std::int64_t now_ms);
/// The removal of `count` entries or tokens (`what`) that had ended before `before_ms`.
audit_change describe_expiry(audit_action action, std::string_view what, std::int64_t before_ms,
                             std::size_t count);

} // namespace matchcloud::model
