#pragma once

#include "store/sql/schema_versions.hpp"

#include <initializer_list>
#include <vector>

namespace matchcloud::store {

/// The steps of a schema, and those that a later program adds.
inline std::vector<migration> steps_and(const schema_versions& known,
                                        std::initializer_list<migration> later) {
  std::vector<migration> all;
  for (std::int64_t version = 0; version < known.newest();
       version = schema_versions::version_after(version))
    all.push_back(known.step_after(version));
  all.insert(all.end(), later);
  return all;
}

} // namespace matchcloud::store
