// Counts for the list of games: requested once, one game after the other, for a limited number.
import { request } from "../../core/api.js";
import { useEffect, useState } from "../../core/html.js";
import { token } from "../../core/session.js";

const games_limit = 50;
const look_back_ms = 60_000;

const pathOf = (game) => `/v1/games/${encodeURIComponent(game)}`;

/** The path that counts the lobbies of a game that run at `now`, in ms since 1970. */
export const runningPath = (game, now) =>
  `${pathOf(game)}/lobbies?start=${now - look_back_ms}&end=${now}&buckets=1`;

async function countsOf(game, signal) {
  const survey = await request("GET", runningPath(game, Date.now()), { signal });
  const { custom_avatars: avatars } = await request("GET", `${pathOf(game)}/avatars`, { signal });
  return { avatars: avatars.length, running: survey.running_now };
}

/** How many avatars and running lobbies the first 50 of these games have: a map by id. */
export function useCounts(ids) {
  const [counts, setCounts] = useState(new Map());
  const asked = ids.slice(0, games_limit).join();
  useEffect(() => {
    if (!asked) return undefined;
    const ending = new AbortController();
    const look = async () => {
      for (const id of asked.split(",")) {
        try {
          const found = await countsOf(id, ending.signal);
          setCounts((before) => new Map(before).set(id, found));
        } catch (error) {
          // This game was just added or removed. Continue with the others.
          if (error.status !== 404) throw error;
        }
      }
    };
    // An unknown count is shown as a dash: the list matters more.
    look().catch(() => {});
    return () => ending.abort();
  }, [asked, token.value]);
  return counts;
}
