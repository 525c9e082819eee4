#include "model/text/hidden_characters.hpp"

#include "model/text/unicode.hpp"

#include <unictype.h>

namespace matchcloud::model {

namespace {

constexpr char32_t zero_width_non_joiner = 0x200C;
constexpr char32_t zero_width_joiner = 0x200D;
constexpr char32_t first_tag = 0xE0020;
constexpr char32_t last_tag = 0xE007E;
constexpr char32_t end_of_tags = 0xE007F;
constexpr char32_t zero_width_space = 0x200B;
constexpr char32_t mongolian_vowel_separator = 0x180E;
constexpr char32_t arabic_heh = 0x647;
/// The beginning of the first script that has viramas.
constexpr char32_t first_indic = 0x900;

bool is_joiner(char32_t c) noexcept {
  return c == zero_width_joiner || c == zero_width_non_joiner;
}

/// A letter that is written joined to the one after it: Arabic, Syriac, N'Ko, Mongolian and others.
bool joins_next(char32_t c) noexcept {
  const auto type = uc_joining_type(c);
  return type == UC_JOINING_TYPE_D || type == UC_JOINING_TYPE_L;
}

/// A letter that is written joined to the one before it.
bool joins_previous(char32_t c) noexcept {
  const auto type = uc_joining_type(c);
  return type == UC_JOINING_TYPE_D || type == UC_JOINING_TYPE_R;
}

/// A character that emoji are made of, except modifiers, the letters of flags, and keycaps.
bool is_pictograph(char32_t c) noexcept {
  return uc_is_property_extended_pictographic(c);
}

/// A letter or vowel sign of Khmer.
bool is_khmer(char32_t c) noexcept {
  return c >= 0x1780 && c <= 0x17D3 && !is_invisible(c);
}

bool is_mongolian_letter(char32_t c) noexcept {
  return c >= 0x1820 && c <= 0x18AA;
}

bool is_tag(char32_t c) noexcept {
  return c >= first_tag && c <= last_tag;
}

/// The skin tones, which modify the emoji before them.
bool is_emoji_modifier(char32_t c) noexcept {
  return c >= 0x1F3FB && c <= 0x1F3FF;
}

/// Why `c` is refused unless it is needed; empty if it never is.
std::string_view hidden_class(char32_t c) noexcept {
  if (is_control(c)) return "a control character";
  if (is_noncharacter(c))
    return "a code point that Unicode reserves and never assigns to a character";
  if (is_invisible(c)) return "an invisible or bidirectional formatting character";
  return {};
}

/// Scans a text and tracks what joiners, selectors and tags at the current position would act on.
class scanner {
public:
  explicit scanner(std::string_view text) noexcept : text_(text) {}

  std::optional<hidden_character> run() noexcept {
    while (at_ < text_.size()) {
      const auto [c, bytes] = decode_utf8(text_.substr(at_));
      if (bytes == 0) return hidden_character{at_, "a byte that is not UTF-8"};
      if (const auto what = hidden_class(c); !what.empty() && !is_needed(c, bytes)) {
        return hidden_character{at_, what};
      }
      pass(c, bytes);
    }
    return std::nullopt;
  }

private:
  bool is_needed(char32_t c, std::size_t bytes) const noexcept {
    if (is_variation_selector(c)) return previous_ != U' ' && !is_invisible(previous_);
    const auto rest = text_.substr(at_ + bytes);
    if (is_joiner(c)) return may_join(c, rest);
    // Khmer has no spaces between words; the space bar of its keyboards writes this.
    if (c == zero_width_space) return is_khmer(previous_) && is_khmer(first(rest));
    if (c == mongolian_vowel_separator) {
      const auto letter = is_variation_selector(previous_) ? before_ : previous_;
      return is_mongolian_letter(letter) && is_mongolian_letter(first(rest));
    }
    if (is_tag(c)) return in_tags_ || (emoji_ && has_end_of_tags());
    return c == end_of_tags && in_tags_;
  }

  bool may_join(char32_t joiner, std::string_view rest) const noexcept {
    // After a virama it selects the form of the consonant, even at the end of a word: Malayalam's
    // chillus. Telugu, Malayalam and Tulu are also written with two.
    if (is_virama(previous_)) return true;
    if (is_joiner(previous_)) return is_virama(before_);
    const auto next = first(rest);
    if (joiner == zero_width_joiner && emoji_ && is_pictograph(next)) return true;
    // Bengali's ya-phala after ra, Kannada's ra before a consonant.
    if (is_virama(next)) return previous_ >= first_indic;
    return is_cursive(joiner, rest);
  }

  /// Whether the joiner is written in scripts whose letters join.
  bool is_cursive(char32_t joiner, std::string_view rest) const noexcept {
    // Before anything else it shows the letter as if another followed: Persian abbreviations.
    if (joiner == zero_width_joiner) return joins_next(letter_);
    // Sorani Kurdish writes its vowel e so at the end of a word.
    if (letter_ == arabic_heh) return true;
    // Persian writes it between the parts of a word, also after letters that never join the next.
    return (joins_next(letter_) || joins_previous(letter_)) && joins_previous(first_letter(rest));
  }

  /// The first character of `text`; 0 if there is none.
  static char32_t first(std::string_view text) noexcept {
    return text.empty() ? 0 : decode_utf8(text).value;
  }

  /// The first character of `text` that is not a mark; marks do not prevent joining.
  static char32_t first_letter(std::string_view text) noexcept {
    while (!text.empty()) {
      const auto [c, bytes] = decode_utf8(text);
      if (bytes == 0 || !is_combining_mark(c)) return c;
      text.remove_prefix(bytes);
    }
    return 0;
  }

  /// Whether the tags from the current position on are terminated.
  bool has_end_of_tags() const noexcept {
    for (auto rest = text_.substr(at_); !rest.empty();) {
      const auto [c, bytes] = decode_utf8(rest);
      if (!is_tag(c)) return c == end_of_tags;
      rest.remove_prefix(bytes);
    }
    return false;
  }

  void pass(char32_t c, std::size_t bytes) noexcept {
    at_ += bytes;
    before_ = previous_;
    previous_ = c;
    in_tags_ = is_tag(c);
    if (is_combining_mark(c) || is_emoji_modifier(c) || is_tag(c) || c == end_of_tags) return;
    emoji_ = is_pictograph(c);
    letter_ = c;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char32_t previous_ = U' ';
  /// The character before `previous_`.
  char32_t before_ = U' ';
  /// The last character that is not a mark.
  char32_t letter_ = U' ';
  /// Whether the preceding text, including its selectors, modifiers and tags, is an emoji.
  bool emoji_ = false;
  bool in_tags_ = false;
};

} // namespace

std::optional<hidden_character> find_hidden(std::string_view text) noexcept {
  return scanner{text}.run();
}

} // namespace matchcloud::model
