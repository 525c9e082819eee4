#pragma once

namespace matchcloud::model {

// Properties of characters that decide whether a joiner or a mark has something to act on.

/// A letter that is written joined to the one after it (Joining_Type Dual_Joining or Left_Joining):
/// Arabic, Syriac, N'Ko, Mongolian and others.
bool joins_next(char32_t c) noexcept;

/// A letter that is written joined to the one before it (Dual_Joining or Right_Joining).
bool joins_previous(char32_t c) noexcept;

/// A sign that removes the vowel of the consonant before it, which then joins the next: Indic
/// scripts.
bool is_virama(char32_t c) noexcept;

/// A character that emoji are made of, except modifiers, the letters of flags, and keycaps.
bool is_pictograph(char32_t c) noexcept;

/// General category M: a mark on or around the character before it.
bool is_combining_mark(char32_t c) noexcept;

} // namespace matchcloud::model
