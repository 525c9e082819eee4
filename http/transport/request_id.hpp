#pragma once

#include "base/hexadecimal.hpp"
#include "http/wire/request.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace matchcloud::http {

/// Gives each request its id: the client's `X-Request-Id` where it is sane, otherwise 32
/// hexadecimal digits: 16 for this source, 16 of a counter. Used by one thread.
class request_id_source {
public:
  /// `seed` makes the ids of this source differ from all others'.
  explicit request_id_source(std::uint64_t seed) noexcept : seed_{base::hexadecimal_of(seed)} {}

  void assign(request& to);
  std::string next();

private:
  void set_next(std::string& id);

  std::array<char, 16> seed_;
  std::uint64_t count_ = 0;
};

} // namespace matchcloud::http
