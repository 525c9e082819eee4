// The product's panels and kinds, for tests that go through all of them. They are read from the
// sources, which import packages that only the build has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(`../../../console/src/${path}`, import.meta.url),
  "utf8");
const idsIn = (text, pattern) => [...text.matchAll(pattern)].map(([, id]) => id);

/** The ids of all panels. */
export const panels = idsIn(read("panels/list.js"), /\{ id: "(\w+)", title: "[^"]+", key:/g);

/** The kinds of the catalog. */
export const kinds = idsIn(
  /export const kinds = \{(.*?)\}/s.exec(read("panels/catalog/kinds.js"))[1], /(\w+)/g);

assert.ok(panels.length > 0 && kinds.length > 0, "the sources are as this file expects them");
