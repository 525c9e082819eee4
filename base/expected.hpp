#pragma once

#include "base/error.hpp"

#include <tl/expected.hpp>

namespace matchcloud::base {

/// A value, or the `error` that explains why there is none.
template <class T>
using expected = tl::expected<T, error>;

/// Wraps `code` and a detail for returning from a function whose result is `expected`.
inline tl::unexpected<error> fail(errc code, std::string detail) {
  return tl::unexpected<error>(error{code, std::move(detail)});
}

} // namespace matchcloud::base
