// Which game a panel is about.
import { useQuery } from "./query.js";

/**
 * The catalog's games and the id of the one that `params` name, or else of the first: `{catalog,
 * games, game}`. `catalog` is the query; `game` is null if there is no game.
 */
export function useGame(params) {
  const catalog = useQuery("/v1/games");
  const games = catalog.value?.games ?? [];
  return { catalog, games, game: params.get("game") ?? games[0]?.game_id ?? null };
}
