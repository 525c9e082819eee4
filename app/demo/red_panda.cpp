#include "app/demo/demo_characters.hpp"

namespace matchcloud::app {

namespace {

void paint_background(canvas& on) {
  on.fill(whole_picture(), {0x8FD3B4, 0x2F7D78});
  on.fill(disc({0, -0.15}, 1.05), {0xE6F6D2, 0xE6F6D2, 0.55, 0.9});
  // Bamboo leaves, larger to the left.
  for (const auto& leaf : {smooth({{-1.05, -0.62},
                                   {-0.86, -0.78},
                                   {-0.62, -0.7},
                                   {-0.42, -0.86},
                                   {-0.6, -0.6},
                                   {-0.84, -0.56}}),
                           smooth({{-1.08, -0.3},
                                   {-0.98, -0.5},
                                   {-0.8, -0.56},
                                   {-0.74, -0.8},
                                   {-0.68, -0.52},
                                   {-0.86, -0.3}}),
                           smooth({{-1, -1},
                                   {-0.82, -1.06},
                                   {-0.62, -0.98},
                                   {-0.44, -1.02},
                                   {-0.62, -0.86},
                                   {-0.86, -0.9}})})
    on.fill(leaf, {0x4FA07A, 0x2C6F62, 0.8});
  for (const auto& leaf :
       {smooth(
            {{1.05, -0.74}, {0.9, -0.92}, {0.72, -0.88}, {0.52, -1}, {0.66, -0.76}, {0.88, -0.66}}),
        smooth({{1.08, -0.28},
                {0.96, -0.48},
                {0.84, -0.52},
                {0.74, -0.72},
                {0.74, -0.46},
                {0.9, -0.26}})})
    on.fill(leaf, {0x4FA07A, 0x2C6F62, 0.7});
}

void paint_body_and_ears(canvas& on) {
  on.fill(smooth({{-0.78, 1.2},
                  {-0.74, 0.72},
                  {-0.4, 0.5},
                  {0, 0.46},
                  {0.4, 0.5},
                  {0.74, 0.72},
                  {0.78, 1.2}}),
          {0x5A2A1C, 0x2F140F});
  on.fill_both(
      smooth({{0.26, -0.5}, {0.4, -0.86}, {0.7, -1}, {0.86, -0.8}, {0.86, -0.44}, {0.7, -0.2}}),
      {0xFFF6E6, 0xF3D9B8});
  on.fill_both(smooth({{0.36, -0.46},
                       {0.46, -0.76},
                       {0.66, -0.86},
                       {0.76, -0.74},
                       {0.76, -0.44},
                       {0.64, -0.26}}),
               {0x6B2F1F, 0x471D15});
}

void paint_panda_head(canvas& on) {
  on.fill(oval({0, 0.5}, 0.66, 0.26), {0x1C0B08, 0x1C0B08, 0.55, 0.3});
  const auto head = smooth({{-0.2, -0.77},
                            {0.2, -0.77},
                            {0.6, -0.6},
                            {0.84, -0.2},
                            {0.92, 0.24},
                            {0.66, 0.52},
                            {0.34, 0.66},
                            {0, 0.69},
                            {-0.34, 0.66},
                            {-0.66, 0.52},
                            {-0.92, 0.24},
                            {-0.84, -0.2},
                            {-0.6, -0.6}});
  on.fill(head, {0xE8814A, 0xB5431F});
  on.fill(oval({-0.12, -0.54}, 0.46, 0.2), {0xFFC58A, 0xFFB070, 0.55, 0.34, &head});
  on.fill(oval({0, 0.78}, 0.86, 0.3), {0x6E2110, 0x6E2110, 0.5, 0.36, &head});
  const auto cheek = smooth({{0.36, 0.1},
                             {0.62, -0.12},
                             {0.8, -0.02},
                             {0.98, 0.2},
                             {0.84, 0.3},
                             {0.9, 0.42},
                             {0.72, 0.44},
                             {0.64, 0.56},
                             {0.4, 0.52},
                             {0.3, 0.34}});
  on.fill_both(cheek, {0xFFF4E2, 0xF1D3AE});
  // The marks that run from the eyes to the chin.
  on.fill_both(smooth({{0.14, -0.02},
                       {0.3, -0.14},
                       {0.46, 0},
                       {0.52, 0.3},
                       {0.48, 0.62},
                       {0.34, 0.62},
                       {0.26, 0.34}}),
               {0xA63D1C, 0x7C2915, 1, 0, &head});
}

void paint_panda_face(canvas& on) {
  on.fill_both(tilted_oval({0.3, -0.27}, {0.14, 0.05}, 0.085), {0xFFF8EA, 0xF9E3C6});
  on.fill(oval({0, 0.31}, 0.33, 0.25), {0xFFFAF0, 0xF2D7B4});
  on.fill(smooth({{-0.12, -0.06}, {0, -0.2}, {0.12, -0.06}, {0.2, 0.2}, {0, 0.26}, {-0.2, 0.2}}),
          {0xFFFAF0, 0xFFF6E8});
  on.fill_both(oval({0.29, 0.03}, 0.115, 0.13), {0x2A100B, 0x140706});
  on.fill_both(oval({0.29, 0.085}, 0.085, 0.06), {0x7A3A1E, 0x8A4A28, 0.8, 0.06});
  for (const auto x : {-0.29, 0.29})
    paint_gleam(on, {x, 0.01}, 0.037);
  on.fill(smooth({{-0.17, 0.14}, {0, 0.1}, {0.17, 0.14}, {0.13, 0.27}, {0, 0.34}, {-0.13, 0.27}}),
          {0x3D1A14, 0x160706});
  on.fill(oval({-0.03, 0.165}, 0.06, 0.022), {0xFFFFFF, 0xFFFFFF, 0.45, 0.02});
  on.fill(line({0, 0.29}, {0, 0.36}, {0, 0.39}, 0.014), {0x3A1711, 0x3A1711});
  on.fill_both(line({0, 0.385}, {0.06, 0.47}, {0.17, 0.4}, 0.016), {0x3A1711, 0x3A1711});
}

} // namespace

void paint_red_panda(canvas& on) {
  paint_background(on);
  paint_body_and_ears(on);
  paint_panda_head(on);
  paint_panda_face(on);
}

} // namespace matchcloud::app
