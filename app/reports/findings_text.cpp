#include "app/reports/findings_report.hpp"
#include "base/characters.hpp"
#include "cli/terminal_text.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

class text_report final : public findings_report {
public:
  explicit text_report(bool colours) : colours_{colours} {}

  std::string add(const validated_file& file) override {
    std::string text;
    if (file.error) append_error(text, file, *file.error);
    for (const auto& each : file.findings) {
      append_line(text, placed(file, each.at), each.found.code, each.found.message);
      append_excerpt(text, file.text, each.found.offset);
    }
    return text;
  }

private:
  static std::string placed(const validated_file& file, const model::text_position& at) {
    return printable_name(file.name) + ":" + std::to_string(at.line) + ":" +
           std::to_string(at.column);
  }

  std::string painted(std::string_view colour, std::string_view text) const {
    std::string out;
    if (colours_) out += colour;
    out += text;
    if (colours_) out += cli::sgr_plain;
    return out;
  }

  void append_error(std::string& text, const validated_file& file,
                    const unusable_file& error) const {
    const auto code = base::describe(error.code).code;
    append_line(text, error.offset ? placed(file, error.at) : printable_name(file.name), code,
                error.message);
    if (error.offset) append_excerpt(text, file.text, *error.offset);
  }

  void append_line(std::string& text, const std::string& place, std::string_view code,
                   std::string_view message) const {
    text += painted(cli::sgr_bold, place + ":") + " " +
            painted(cli::sgr_bold_red, std::string{code} + ":") + " ";
    text.append(message).append("\n");
  }

  /// The line around the place, with a caret below it. A file may be one long line.
  void append_excerpt(std::string& text, std::string_view source, std::size_t offset) const {
    constexpr base::character_set continuation{
        [](unsigned char c) { return (c & 0xC0U) == 0x80; }}; // of a character in UTF-8
    constexpr std::size_t most_characters = 60;               // on either side
    constexpr std::size_t character_bytes = 4;
    const auto place = std::min(offset, source.size());
    const auto begin = place - std::min(place, most_characters);
    auto before = source.substr(begin, place - begin);
    before.remove_prefix(continuation.span(before));
    before.remove_prefix(before.rfind('\n') + 1);
    auto after = source.substr(place, most_characters * character_bytes);
    after = after.substr(0, after.find_first_of("\r\n"));
    const auto printable = [](std::string_view part) {
      auto shown = well_formed(part);
      std::ranges::replace(shown, '\t', ' ');
      return model::printable_excerpt(shown, most_characters);
    };
    const auto margin = printable(before);
    const auto line = margin + printable(after);
    // There is nothing to point at, for example at the end of a file after its last line.
    if (line.find_first_not_of(' ') == line.npos) return;
    text += line + "\n" + std::string(model::count_code_points(margin), ' ') +
            painted(cli::sgr_bold_green, "^") + "\n";
  }

  bool colours_;
};

} // namespace

std::string well_formed(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const auto bytes = model::decode_utf8(text).bytes;
    made += bytes == 0 ? std::string_view{"\uFFFD"} : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return made;
}

std::string printable_name(std::string_view file) {
  return model::printable_excerpt(well_formed(file), file.size());
}

std::unique_ptr<findings_report> make_text_report(bool colours) {
  return std::make_unique<text_report>(colours);
}

} // namespace matchcloud::app
