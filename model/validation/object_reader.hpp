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

/// Reads an object of few members. What is wrong with it is collected, in the sentences that
/// validation has for unknown, repeated and missing members and for values of another type.
class object_reader {
public:
  /// Unknown members that are named one by one; the rest is counted.
  static constexpr std::size_t named_unknown_limit = 16;

  /// `owner` begins sentences: `The body`. `members` are all that there can be. They and the
  /// document outlive this.
  object_reader(const json_document& document, std::string_view owner,
                std::span<const std::string_view> members)
      : document_{&document}, owner_{owner}, members_{members} {}

  std::string_view text(const json_node& of) const noexcept { return document_->text(of); }

  /// The value that `read` makes of the first member of that name: an optional, empty where it says
  /// that something is wrong. Nothing where there is no such member.
  template <class Read>
  auto member(std::string_view name, Read read) -> decltype(read(json_node{})) {
    const auto [first, is_repeated] = find(name);
    auto value = first ? read(*first) : decltype(read(json_node{})){};
    if (is_repeated) add(duplicate_member_message(owner_, name, {}, default_echo_limit));
    return value;
  }
  bool has(std::string_view name) const noexcept { return find(name).first != nullptr; }

  /// A whole number of a range that begins at 0 or above; says where it is none.
  std::optional<std::uint64_t> integer(std::string_view name, const json_node& of,
                                       const integer_range& allowed);
  std::optional<bool> boolean(std::string_view name, const json_node& of);

  /// Says that a member is missing.
  void require(std::string_view name, value_type type, bool is_null = false) {
    add(required_message(quoted(name), type, is_null));
  }
  /// Says which members are not known, and what was probably meant.
  void name_unknown();

  /// Adds a sentence to what is wrong.
  void add(std::string_view sentence);
  /// One sentence behind the other; empty: nothing is wrong.
  const std::string& findings() const noexcept { return findings_; }

private:
  struct found_member {
    const json_node* first = nullptr;
    bool is_repeated = false;
  };

  /// Calls `each(node)` for each member of the object.
  template <class Each>
  void for_each_member(Each each) const {
    const auto end = document_->root().next;
    for (std::uint32_t at = 1; at < end; at = document_->node(at).next)
      each(document_->node(at));
  }
  found_member find(std::string_view name) const noexcept;
  /// Those that a member with another name may be meant to have.
  std::vector<std::string_view> absent_names() const;

  const json_document* document_;
  std::string_view owner_;
  std::span<const std::string_view> members_;
  std::string findings_;
};

} // namespace matchcloud::model
