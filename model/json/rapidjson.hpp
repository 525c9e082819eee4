#pragma once

// RapidJSON includes it, where the attribute below would fall on the standard library.
#include <iterator>

// RapidJSON's parts that the product uses. Its stack adds to a null pointer before it first
// allocates, which clang's UBSan reports: only these headers are spared that check.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/document.h>
#include <rapidjson/error/error.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#ifdef __clang__
#pragma clang attribute pop
#endif
