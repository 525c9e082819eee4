#include "store/export_records.hpp"

#include "base/decimal.hpp"

#include <string_view>

namespace matchcloud::store {

object_name exports_folder() {
  return *object_name::parse("exports");
}

object_name object_of(const export_record& record) {
  return *object_name::parse("exports/" + model::to_string(record.facts.export_id) + "/" +
                             std::to_string(record.generation));
}

std::optional<export_record> read_export_name(const object_name& name) {
  const std::string_view text = name.text();
  const auto first = text.find('/');
  const auto last = text.rfind('/');
  if (first == last) return std::nullopt;
  const auto export_id = model::parse_uuid(text.substr(first + 1, last - first - 1));
  const auto generation = base::parse_decimal<std::int64_t>(text.substr(last + 1));
  if (!export_id || !generation || *generation < 1) return std::nullopt;
  export_record record;
  record.facts.export_id = *export_id;
  record.generation = *generation;
  if (object_of(record) != name) return std::nullopt;
  return record;
}

} // namespace matchcloud::store
