#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace matchcloud::model {

/// The kinds of elements in a catalog. Single elements are administered by kind and id.
enum class element_kind : std::uint8_t { region, tier, game, game_namespace };

inline constexpr std::array<element_kind, 4> element_kinds{
    element_kind::game, element_kind::game_namespace, element_kind::region, element_kind::tier};

/// `region`, `tier`, `game`, `namespace`.
std::string_view name_of(element_kind kind) noexcept;
/// `regions`, `tiers`, `games`, `namespaces`: as written in paths and documents.
std::string_view plural_of(element_kind kind) noexcept;
/// The kind with that plural; empty if there is none.
std::optional<element_kind> parse_plural(std::string_view text) noexcept;

/// Names one element: its kind and an id that is well-formed for it.
class element_key {
public:
  /// Fails with `id_malformed`, which says what is allowed. Accepts UUIDs in either case.
  static base::expected<element_key> parse(element_kind kind, std::string_view id);

  element_kind kind() const noexcept { return kind_; }
  /// The id; UUIDs are in lower case.
  const std::string& text() const noexcept { return text_; }
  /// The id of a game or namespace; zero for other kinds.
  const model::uuid& uuid() const noexcept { return uuid_; }
  /// A description for messages: `region "lon"`, `game 00000000-..`.
  std::string describe() const;

private:
  element_key(element_kind kind, std::string text, const model::uuid& id)
      : kind_{kind}, text_{std::move(text)}, uuid_{id} {}

  element_kind kind_;
  std::string text_;
  model::uuid uuid_;
};

/// One element; a tier is a string.
using catalog_element = std::variant<region, std::string, game, game_namespace>;

/// The most bytes of JSON for one element.
inline constexpr std::size_t element_limit_bytes = 64 * 1024;

/// A document with only this element.
catalog_document document_of(catalog_element one);

/// The element `key` of the catalog `in`. Fails with `element_not_found`.
base::expected<catalog_element> find_element(const catalog& in, const element_key& key);

/// Removes an element; the result has the next revision. Fails with `element_not_found`, or with
/// `still_referred` if a namespace lists the region or belongs to the game; the detail names the
/// first ten such namespaces. O(n).
base::expected<catalog> without(const catalog& current, const element_key& key);

/// The JSON that `parse_element` reads, id included. A namespace with all regions has no `regions`.
std::string render_element(const catalog_element& one);
/// All elements of a kind, ordered by id: `{"regions":[..],"revision":7}`.
std::string render_elements(const catalog& of, element_kind kind);

/// Reads and checks a catalog document (JSON, UTF-8). Fails with `import_invalid`; the detail has a
/// line per finding (at most 100), each with the place and what is allowed. Does not check that the
/// regions of a namespace exist, because they may be in the store; `merge` does.
base::expected<catalog_document> parse_catalog_document(std::string_view text);

/// Reads the JSON of the element `key`, with the checks and messages of a catalog document. The
/// format is that of the import, except that a namespace carries its `game_id` and a game has no
/// namespaces; the id may be omitted. For a tier, the text may be empty. Fails with
/// `import_invalid`.
base::expected<catalog_element> parse_element(const element_key& key, std::string_view text);

} // namespace matchcloud::model
