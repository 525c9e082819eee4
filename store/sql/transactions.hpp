#pragma once

#include "base/failure.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/sql.hpp"
#include "store/sql_table.hpp"

#include <string>
#include <type_traits>

namespace matchcloud::store {

template <class Work>
auto sql_table::look(std::string_view operation, Work work) {
  return base::attempt([&] {
    on_->begin_reading(operation);
    return work();
  });
}

template <class Read>
auto sql_table::all_of(const sql_command& query, sql_values with, Read read) {
  return look(query.operation, [&] { return on_->all(query, with, read); });
}

template <class Work>
auto sql_table::read_at_once(std::string_view operation, Work work) {
  return base::attempt([&] {
    const auto snapshot = sql_transaction::read(*on_, std::string{operation});
    return work();
  });
}

template <class Work>
auto sql_table::change(std::optional<sql_subject> subject, std::string_view operation, Work work) {
  return base::attempt([&] {
    auto changes = sql_transaction::write(*on_, subject, std::string{operation});
    audit_->begin();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      audit_->commit(changes);
    } else {
      auto made = work();
      audit_->commit(changes);
      return made;
    }
  });
}

} // namespace matchcloud::store
