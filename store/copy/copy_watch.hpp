#pragma once

#include "base/failure.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// How a caller follows and stops a copy.
struct copy_watch {
  /// Whether to stop; called after each page of rows or piece of a file. May be empty.
  std::function<bool()> stop;
  /// Receives how much is done of a step such as "lobbies copied". May be empty.
  std::function<void(std::string_view step, std::uint64_t done)> show;

  /// Throws `cancelled` if the caller stops.
  void go_on() const {
    if (stop && stop()) throw base::failure{base::errc::cancelled, "interrupted"};
  }
  void tell(std::string_view step, std::uint64_t done) const {
    if (show) show(step, done);
  }
};

/// The rows of a table. The digest does not depend on the engine.
struct table_facts {
  std::string name;
  std::uint64_t rows = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256;

  friend bool operator==(const table_facts&, const table_facts&) = default;
};

/// `N rows with the SHA-256 ..`
inline std::string described(const table_facts& of) {
  return std::to_string(of.rows) + " rows with the SHA-256 " + of.sha256;
}

} // namespace matchcloud::store
