// The lists of the catalog. Its pages show them together, because a namespace belongs to a game and
// names regions.
import { useQuery } from "../../core/query.js";
import { elementsOf } from "./kinds.js";

const period_ms = 5_000;
const always = ["games", "namespaces", "regions"];

/**
 * The catalog's lists: `{data, error, reload}`. `data` has the lists that are loaded by now. The
 * list of `kind` is kept up to date; the others date from when this was shown or reloaded.
 */
export function useCatalog(kind) {
  const queries = [...always, "tiers"].map((one) => [one, useQuery(
    always.includes(one) || one === kind ? `/v1/${one}` : null,
    { every: one === kind ? period_ms : 0 })]);
  const data = {};
  for (const [one, { value }] of queries) if (value) data[one] = elementsOf(one, value);
  const failed = queries.find(([one, { error }]) => error && (one === kind || !data[one]));
  return { data, error: failed?.[1].error ?? null,
    reload: () => queries.forEach(([, query]) => query.reload()) };
}

/**
 * The element of a list with this id; undefined if it is not in the list, or the list is not
 * loaded.
 */
export const found = (list, member, id) => list?.find((element) => element[member] === id);
