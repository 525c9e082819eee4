// Counts for the list of games: requested once, one game after the other, for those that are shown.
import { request } from "../../core/api.js";
import { useEffect, useState } from "../../core/html.js";
import { token } from "../../core/session.js";

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

/**
 * How many avatars and running lobbies these games have: a map by id, without the games that are
 * not counted yet. Its value is null if a game could not be counted.
 */
export function useCounts(ids) {
  const [counts, setCounts] = useState(new Map());
  useEffect(() => {
    const ending = new AbortController();
    const look = async () => {
      let failed = false;
      for (const id of ids.filter((one) => !counts.get(one))) {
        let found = null;
        try {
          if (!failed) found = await countsOf(id, ending.signal);
        } catch (error) {
          // A game that was just added or removed does not keep the others from being counted.
          failed = error.status !== 404;
        }
        if (ending.signal.aborted) return;
        setCounts((before) => new Map(before).set(id, found));
      }
    };
    look();
    return () => ending.abort();
  }, [ids.join(), token.value]);
  return counts;
}
