#pragma once

#include "base/error.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/routes.hpp"
#include "http/transport/head_rules.hpp"

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::http {

/// Why a request is not forwarded to an owner.
struct refused_request {
  /// The operation that it is counted as.
  operation which = operation::unmatched;
  base::error why;
  /// Further complete header lines of the answer.
  std::string headers = {};
};

/// Finds the operation that a head asks for, by the checks that need no body, in this order: a
/// known method (501), path (404), method (405), and on the ops plane who asks (403). The head's
/// target is not `*`.
tl::expected<route, refused_request> find_operation(const request& head,
                                                    const front_settings& settings);

/// Why the operation does not take a body of the type in the head and of `size` bytes, or nothing.
std::optional<base::error> check_body(const operation_row& row, const request& head,
                                      std::uint64_t size);

/// The checks above, for a transport.
class front_rules final : public head_rules {
public:
  explicit front_rules(std::shared_ptr<const front_settings> settings)
      : settings_{std::move(settings)} {}

  head_verdict judge(const request& head, std::uint64_t length) const override;

private:
  std::shared_ptr<const front_settings> settings_;
};

} // namespace matchcloud::http
