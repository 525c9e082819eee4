#pragma once

#include "model/text/uuid.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct pg_result;

namespace matchcloud::store {

/// The value of a parameter in PostgreSQL's binary form.
class binary_value {
public:
  static binary_value array(std::span<const model::uuid> ids);
  /// Empty elements become nulls.
  static binary_value array(std::span<const std::optional<std::int64_t>> numbers);

  std::string_view bytes() const noexcept { return bytes_; }

private:
  std::string bytes_;
};

/// A result in binary form. Columns count from 0.
class binary_rows {
public:
  binary_rows() = default;
  explicit binary_rows(pg_result* rows) noexcept : rows_{rows} {}

  /// Null where there is no result.
  pg_result* get() const noexcept { return rows_.get(); }
  int size() const noexcept;
  bool is_null(int row, int column) const noexcept;
  std::int64_t integer(int row, int column) const noexcept;
  model::uuid uuid(int row, int column) const noexcept;

private:
  struct clearer {
    void operator()(pg_result* rows) const noexcept;
  };

  std::unique_ptr<pg_result, clearer> rows_;
};

} // namespace matchcloud::store
