// How many lobbies are running, summed over games. The service counts by reading them, one game at
// a time, so this is requested rarely: a page takes at most a thousandth of the counting thread's
// time.
import { request } from "../../core/api.js";
import { useEffect, useState } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { visible } from "../../core/visibility.js";

const least_wait_ms = 120_000;
const rests = 1_000;
const buckets = 30;
const games_limit = 100;

/**
 * Counts the running lobbies of games, and how many ran over the last `seconds`: `{sum, games, at,
 * isPartial, values, busiest}`. `busiest` is the id of the game with the most.
 */
export async function countAll(games, seconds, signal) {
  const end = Date.now();
  const span = `start=${end - seconds * 1_000}&end=${end}&buckets=${buckets}`;
  const counted = { sum: 0, games: 0, at: end, isPartial: games.length > games_limit, values: [],
    busiest: games[0]?.game_id };
  let most = 0;
  for (const { game_id: id } of games.slice(0, games_limit)) {
    try {
      const found = await request("GET",
        `/v1/games/${encodeURIComponent(id)}/lobbies?${span}`, { signal });
      counted.games++;
      counted.sum += found.running_now;
      if (found.running_now > most) counted.busiest = id;
      most = Math.max(most, found.running_now);
      counted.isPartial ||= found.is_partial;
      found.running.forEach((n, index) => {
        counted.values[index] = (counted.values[index] ?? 0) + n;
      });
    } catch (error) {
      if (signal.aborted) throw error;
      // The game was just removed, or the service is overloaded. Continue with the others.
      counted.isPartial = true;
    }
  }
  counted.values.push(counted.sum);
  return counted;
}

/** `{sum, games, at, isPartial, values}` of all games over `seconds`, or {} until it is known. */
export function useRunning(seconds) {
  const { value } = useQuery("/v1/games");
  const [counted, setCounted] = useState({});
  const games = value?.games;
  const seen = visible.value;
  useEffect(() => {
    if (!games || !seen) return undefined;
    const ending = new AbortController();
    let timer;
    const turn = async () => {
      const began = performance.now();
      try {
        setCounted(await countAll(games, seconds, ending.signal));
      } catch {
        return;
      }
      timer = setTimeout(turn, Math.max(least_wait_ms, rests * (performance.now() - began)));
    };
    turn();
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [games, seconds, seen]);
  return { ...counted, names: new Map(games?.map(({ game_id: id, display_name: name }) =>
    [id, name])) };
}
