#pragma once

#include "base/error.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/request.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::http {

/// What becomes of a request whose head is complete and whose body is still to come.
struct head_verdict {
  /// The operation. Its row says how its body is read, or, of a refused request, what it is counted
  /// as.
  const operation_row* row = &row_of(operation::unmatched);
  bool is_refused = false;
  /// The error to answer with, and further complete header lines of the answer.
  base::error why = {};
  std::string headers = {};
  /// The rate limit that the request is over; empty: none.
  std::string violated_policy = {};
};

/// Judges a request by its head, in the front's words, so that a body that nobody wants is not
/// waited for. The transport's thread.
class head_rules {
public:
  virtual ~head_rules() = default;
  /// `length`: the announced size of the body in bytes, 0 where it comes in chunks.
  virtual head_verdict judge(const request& head, std::uint64_t length) const = 0;
};

} // namespace matchcloud::http
