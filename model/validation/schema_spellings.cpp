#include "model/validation/schema_spellings.hpp"

#include <algorithm>
#include <iterator>

namespace matchcloud::model {

namespace {

void append_new(std::vector<std::string>& to, std::string_view spelling) {
  if (std::ranges::find(to, spelling) == to.end()) to.emplace_back(spelling);
}

} // namespace

std::vector<std::string> spellings_of(const object_shape& shape, const member_rule& member,
                                      const validation_rules& rules) {
  std::vector<std::string> all{std::string{member.name}};
  if (!member.alias.empty()) all.emplace_back(member.alias);
  for (const auto& each : rules.further_aliases)
    if (find_member(shape, each.alias, rules) == &member) append_new(all, each.alias);
  return all;
}

std::vector<std::string> spellings_of(std::string_view neutral, const validation_rules& rules) {
  std::vector<std::string> all{std::string{neutral}};
  for (const auto& each : proxy_aliases())
    if (neutral_word(each.alias, rules) == neutral) append_new(all, each.alias);
  for (const auto& each : rules.further_aliases)
    if (neutral_word(each.alias, rules) == neutral) append_new(all, each.alias);
  return all;
}

std::vector<std::string> accepted_words(const value_rule& rule, const validation_rules& rules) {
  std::vector<std::string> accepted;
  for (const auto word : rule.words) {
    const bool is_lacking = rule.text == text_rule::network_mode && word == "host" &&
                            rules.edition == service_edition::hosted;
    if (!is_lacking) std::ranges::move(spellings_of(word, rules), std::back_inserter(accepted));
  }
  return accepted;
}

} // namespace matchcloud::model
