#include "model/access/token_kind.hpp"

#include <vector>

namespace matchcloud::model {

std::string describe(const token_kinds& kinds) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < token_kind_names.size(); ++i)
    if (kinds.has(static_cast<token_kind>(i)))
      named.push_back((token_kind_names[i].front() == 'a' ? "an " : "a ") +
                      std::string{token_kind_names[i]});
  if (named.size() == token_kind_names.size()) return "a token";
  std::string all;
  for (std::size_t i = 0; i < named.size(); ++i)
    all += (i == 0 ? "" : i + 1 == named.size() ? " or " : ", ") + named[i];
  return all + " token";
}

} // namespace matchcloud::model
