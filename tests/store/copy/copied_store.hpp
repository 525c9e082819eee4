#pragma once

#include "model/catalog/catalog_element.hpp"
#include "store/copy/store_copy.hpp"
#include "store/engines/store_place.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// A store that others are copied from or into, without any sessions open.
struct copied_store {
  /// In a directory of its own.
  copied_store() { place.data_dir = directory.path("store"); }
  /// In a database.
  explicit copied_store(std::string url) { place.url = std::move(url); }

  std::shared_ptr<database> open() const { return had(open_store(place)); }
  std::unique_ptr<sql_connection> connection() const { return had(open_connection(place)); }

  fixtures::temporary_directory directory;
  store_place place;
};

/// Fills a store with all kinds of content: names in any language, with quotes, NULs and what else
/// means something to a database; the least and the greatest numbers; removed elements; running
/// lobbies; tokens that are rotated, revoked and used; an audit log. Other seeds, other content.
void fill(const copied_store& store, std::uint32_t seed, std::uint32_t lobbies);

inline model::element_key key_of(model::element_kind kind, std::string_view id) {
  return had(model::element_key::parse(kind, id));
}

/// Copies all at once.
base::expected<std::vector<table_facts>>
try_copy(const copied_store& from, const copied_store& into, const copy_watch& watch = {});

/// The tables without the audit log, in which each copy has an entry more.
std::vector<table_facts> content(std::vector<table_facts> tables);

} // namespace matchcloud::store
