#pragma once

#include <span>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A row of the table of an object's members.
struct json_field {
  std::string_view name;
  bool required = true;
  /// False: it is not a member of this object, as if it had no row.
  bool known = true;
};

/// `lobby_id, region_id`, for messages.
inline std::string names_of(std::span<const json_field> fields) {
  std::string text;
  for (const auto& each : fields)
    if (each.known) text.append(text.empty() ? "" : ", ").append(each.name);
  return text;
}

} // namespace matchcloud::model
