#include "store/sql/array_text.hpp"

#include "base/hexadecimal.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <variant>

namespace matchcloud::store {

namespace {

struct element_writer {
  std::string& to;

  void operator()(std::monostate) const { to.append("NULL"); }
  void operator()(std::int64_t number) const { append_number(number); }
  void operator()(double number) const { append_number(number); }
  void operator()(std::string_view text) const {
    to.push_back('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') to.push_back('\\');
      to.push_back(c);
    }
    to.push_back('"');
  }
  void operator()(sql_value::blob bytes) const {
    to.append("\"\\\\x");
    base::append_hexadecimal(to, bytes);
    to.push_back('"');
  }
  void operator()(const model::uuid& id) const { to.append(to_string(id)); }

private:
  template <class Number>
  void append_number(Number number) const {
    std::array<char, 32> digits{};
    to.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
};

} // namespace

void append_element(std::string& to, const sql_value& value) {
  to.push_back(to.empty() ? '{' : ',');
  std::visit(element_writer{to}, value.get());
}

} // namespace matchcloud::store
