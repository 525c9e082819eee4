#pragma once

#include "store/sql/sql.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace matchcloud::store {

/// The text form of a parameter; nothing for a null. PostgreSQL's texts cannot have a NUL: an
/// escape replaces it.
std::optional<std::string> text_form(const sql_value& value);

/// A row of a result in text form.
class text_row final : public sql_row {
public:
  /// Starts at the first row of `rows`, which must outlive this object.
  explicit text_row(const pg_result* rows) noexcept : rows_{rows} {}

  void stand_on(int row) noexcept {
    row_ = row;
    unescaped_.clear();
    blobs_.clear();
  }

  bool is_null(int column) override;
  std::int64_t integer(int column) override;
  double real(int column) override;
  std::string_view text(int column) override;
  std::span<const std::uint8_t> blob(int column) override;
  model::uuid uuid(int column) override;

private:
  std::string_view raw(int column) const noexcept;

  const pg_result* rows_;
  int row_ = 0;
  /// Texts of this row that had escapes, at stable addresses.
  std::deque<std::string> unescaped_;
  std::deque<std::vector<std::uint8_t>> blobs_;
};

} // namespace matchcloud::store
