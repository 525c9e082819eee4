#pragma once

#include "base/expected.hpp"

#include <spdlog/fmt/fmt.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

namespace matchcloud::base {

/// An error on its way through callers that cannot act on it, to one that can: there `attempt`
/// makes it a value again.
class failure : public std::exception {
public:
  explicit failure(error why) : why_{std::move(why)} {}
  failure(errc code, std::string detail) : why_{code, std::move(detail)} {}
  /// The detail is `text` with its arguments, in the syntax of fmt.
  template <class... Arguments>
  requires(sizeof...(Arguments) > 0)
      failure(errc code, fmt::format_string<Arguments...> text, Arguments&&... arguments)
      : failure{code, fmt::format(text, std::forward<Arguments>(arguments)...)} {}

  const error& why() const noexcept { return why_; }
  const char* what() const noexcept override { return why_.detail.c_str(); }

private:
  error why_;
};

/// What `work` returns, or the error of the `failure` that it throws.
template <class Work>
auto attempt(Work&& work) -> expected<std::invoke_result_t<Work&>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const failure& thrown) {
    return tl::unexpected(thrown.why());
  }
}

/// The value, or a thrown `failure`.
template <class Value>
Value value_of(expected<Value>&& of) {
  if (!of) throw failure{std::move(of).error()};
  if constexpr (!std::is_void_v<Value>) return *std::move(of);
}

} // namespace matchcloud::base
