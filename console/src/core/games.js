// Which game a panel is about.
import { useQuery } from "./query.js";

/**
 * The catalog's games and the id of the one that `params` name, else of the first: `{catalog,
 * games, game}`. `catalog` is the query; `game` is null where there is none.
 */
export function useGame(params) {
  const catalog = useQuery("/v1/games");
  const games = catalog.value?.games ?? [];
  return { catalog, games, game: params.get("game") ?? games[0]?.game_id ?? null };
}
