#pragma once

#include "base/hexadecimal.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "model/access/token_text.hpp"

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

  void assign(request& to) {
    const auto& sent = to.get(header::x_request_id);
    // Ids are logged, and a token must not be.
    if (is_sane_request_id(sent) && !model::has_token(sent))
      to.id = sent;
    else
      set_next(to.id);
  }
  std::string next() {
    std::string id;
    set_next(id);
    return id;
  }

private:
  void set_next(std::string& id) {
    const auto number = base::hexadecimal_of(++count_);
    id.assign(seed_.data(), seed_.size()).append(number.data(), number.size());
  }

  std::array<char, 16> seed_;
  std::uint64_t count_ = 0;
};

} // namespace matchcloud::http
