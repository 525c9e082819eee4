#pragma once

#include "model/json/json_document.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_messages.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// Reads an object with few members. Collects findings, worded as in validation, about unknown,
/// repeated and missing members and about values of the wrong type.
class object_reader {
public:
  /// The number of unknown members that findings name; the rest are only counted.
  static constexpr std::size_t named_unknown_limit = 16;

  /// `owner` begins the sentences: `The body`. `members` are all allowed names. Both and the
  /// document must outlive the reader.
  object_reader(const json_document& document, std::string_view owner,
                std::span<const std::string_view> members)
      : document_{&document}, object_{&document.root()}, owner_{owner}, members_{members} {}
  /// Reads an object inside the document. `path` leads to it, as in `players[3]`, and precedes the
  /// members' names in the sentences; it must outlive the reader, too.
  object_reader(const json_document& document, const json_node& object, std::string_view path,
                std::span<const std::string_view> members)
      : document_{&document}, object_{&object}, path_{path}, members_{members} {}

  std::string_view text(const json_node& of) const noexcept { return document_->text(of); }

  /// Applies `read` to the first member with that name. `read` returns an optional, which is empty
  /// if it added a finding. The result is empty if there is no such member.
  template <class Read>
  auto member(std::string_view name, Read read) -> decltype(read(json_node{})) {
    const auto [first, is_repeated] = find(name);
    auto value = first ? read(*first) : decltype(read(json_node{})){};
    if (is_repeated) add(duplicate_member_message(owner(), name, default_echo_limit));
    return value;
  }
  bool has(std::string_view name) const noexcept { return find(name).first != nullptr; }

  /// A whole number in a range that begins at 0 or above; adds a finding if the value is not one.
  std::optional<std::uint64_t> integer(std::string_view name, const json_node& of,
                                       const integer_range& allowed);
  std::optional<bool> boolean(std::string_view name, const json_node& of);
  /// A number, whole or with a fraction; adds a finding if the value is not one or out of range.
  std::optional<double> number(std::string_view name, const json_node& of, double lowest,
                               double highest);

  /// Adds a finding that a member is missing.
  void require(std::string_view name, value_type type, bool is_null = false) {
    add(required_message(subject(name), type, is_null));
  }
  /// Adds a finding about unknown members, with the names that were probably meant.
  void name_unknown();

  /// The member in backticks, with the path to it, to begin a sentence.
  std::string subject(std::string_view name) const;
  /// Adds a sentence to the findings.
  void add(std::string_view sentence);
  /// All sentences; empty if nothing is wrong.
  const std::string& findings() const noexcept { return findings_; }

private:
  struct found_member {
    const json_node* first = nullptr;
    bool is_repeated = false;
  };

  found_member find(std::string_view name) const noexcept;
  /// The absent member names, from which suggestions for unknown names are chosen.
  std::vector<std::string_view> absent_names() const;
  /// Begins the sentences about the object itself.
  std::string owner() const { return path_.empty() ? std::string{owner_} : in_backticks(path_); }

  const json_document* document_;
  const json_node* object_;
  std::string_view owner_ = {};
  std::string_view path_ = {};
  std::span<const std::string_view> members_;
  std::string findings_;
};

} // namespace matchcloud::model
