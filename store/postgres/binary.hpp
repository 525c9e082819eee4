#pragma once

#include "store/sql/sql.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

struct pg_result;

namespace matchcloud::store {

/// A result in binary form. Columns count from 0.
class binary_rows {
public:
  binary_rows() = default;
  explicit binary_rows(pg_result* rows) noexcept : rows_{rows} {}

  /// Null where there is no result.
  pg_result* get() const noexcept { return rows_.get(); }
  int size() const noexcept;
  bool is_null(int row, int column) const noexcept;
  /// Of any of PostgreSQL's whole numbers.
  std::int64_t integer(int row, int column) const noexcept;
  std::span<const std::uint8_t> bytes(int row, int column) const noexcept;
  model::uuid uuid(int row, int column) const noexcept;

private:
  struct clearer {
    void operator()(pg_result* rows) const noexcept;
  };

  std::unique_ptr<pg_result, clearer> rows_;
};

/// A row of such a result.
class binary_row final : public sql_row {
public:
  /// Starts at the first row of `rows`, which must outlive this object.
  explicit binary_row(const binary_rows& rows) noexcept : rows_{&rows} {}

  void stand_on(int row) noexcept {
    row_ = row;
    unescaped_.clear();
  }

  bool is_null(int column) override { return rows_->is_null(row_, column); }
  std::int64_t integer(int column) override { return rows_->integer(row_, column); }
  double real(int column) override;
  std::string_view text(int column) override;
  std::span<const std::uint8_t> blob(int column) override { return rows_->bytes(row_, column); }
  model::uuid uuid(int column) override { return rows_->uuid(row_, column); }

private:
  const binary_rows* rows_;
  int row_ = 0;
  /// Texts of this row that had escapes, at stable addresses.
  std::deque<std::string> unescaped_;
};

} // namespace matchcloud::store
