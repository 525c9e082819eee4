#pragma once

#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"
#include "model/json/rapidjson.hpp"
#include "model/records/finding_list.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace matchcloud::model {

/// Parses JSON in UTF-8 of at most `limit_bytes`, within the depth and value limits of a catalog
/// document. `what` names the text in errors. Fails with `import_invalid`.
base::expected<rapidjson::Document>
parse_catalog_json(std::string_view text, std::size_t limit_bytes, std::string_view what);

/// Reads catalog elements from parsed JSON and collects all findings. Whole documents and single
/// elements share its rules and messages.
class catalog_reader {
public:
  /// `what` names the JSON text in findings that have no place inside it.
  explicit catalog_reader(std::string_view what) : what_{what} {}

  /// Reads a whole catalog document.
  void read_document(const rapidjson::Value& root);
  /// Reads the single element `named`; its id may be omitted, but must match if present.
  void read_element(const rapidjson::Value& root, const element_key& named);

  /// The elements read, or `import_invalid` with every finding.
  base::expected<catalog_document> take();

private:
  using json = rapidjson::Value;
  /// The place where each unique value first occurred.
  using first_places = std::unordered_map<std::string, std::string>;

  struct field {
    std::string_view name;
    bool required = true;
  };

  void add(std::string_view at, std::string_view finding);
  void add_found(std::string_view at, const json& value, std::string_view allowed);

  template <std::size_t N>
  std::optional<std::array<const json*, N>> members(const json& value, const std::string& at,
                                                    const std::array<field, N>& fields);
  template <class Read>
  void each_of(const json* value, const std::string& at, Read read);
  template <class Allowed>
  std::string read_string(const json* value, const std::string& at, Allowed allowed,
                          std::string_view allowed_text);
  std::string read_name(const json* value, const std::string& at);
  std::string read_identifier(const json* value, const std::string& at);
  std::string read_domain(const json& value, const std::string& at);
  std::optional<uuid> read_uuid(const json* value, const std::string& at);
  double read_degrees(const json* value, const std::string& at, double limit);
  std::optional<std::int64_t> read_days(const json* value, const std::string& at);
  coordinates read_coordinates(const json& value, const std::string& at);
  std::optional<std::vector<std::string>> read_region_ids(const json* value, const std::string& at);
  void check_unique(first_places& places, const std::string& key, const std::string& at);

  // In the following functions, `named` is the element that the value must be; null in a document.
  void read_region(const json& value, const std::string& at, const element_key* named);
  void read_tier(const json& value, const std::string& at, const element_key* named);
  void read_game(const json& value, const std::string& at);
  void read_single_game(const json& value, const element_key& named);
  void read_namespace(const json& value, const std::string& at, const uuid& game_id);
  void read_single_namespace(const json& value, const element_key& named);
  void read_lists(game_namespace& into, const json* domains, const json* regions,
                  const std::string& at);
  void check_agrees(const json* id, const std::string& at, const std::string& found,
                    const element_key& named);

  std::string_view what_;
  catalog_document document_;
  finding_list findings_;
  first_places regions_;
  first_places tiers_;
  first_places games_;
  first_places namespaces_;
  first_places domains_;
};

} // namespace matchcloud::model
