// Requests while the user types: after a pause, one at a time, only about the newest text.

/**
 * Makes a queue that holds one request and the newest input.
 * @template Input, Answer
 * @param {object} options
 * @param {(input: Input, isNewest: () => boolean) => Promise<Answer>} options.ask
 * @param {(answer: Answer, input: Input) => void} options.onAnswer called unless a newer input
 *   arrived
 * @param {(error: Error, input: Input) => void} options.onError likewise
 * @param {number} options.delay_ms the pause after the last input before it is asked about
 * @returns {{submit(input: Input): void, flush(): void, drop(): void}} `submit` replaces an input
 *   that waits; `flush` ends its pause; `drop` discards it and the expected answer
 */
export function latestRequest({ ask, onAnswer, onError, delay_ms }) {
  let waiting = null;
  let timer = null;
  let isBusy = false;
  let generation = 0;

  const start = async () => {
    timer = null;
    if (isBusy || !waiting) return;
    const { input } = waiting;
    const asked = generation;
    waiting = null;
    isBusy = true;
    try {
      const answer = await ask(input, () => asked === generation);
      if (asked === generation) onAnswer(answer, input);
    } catch (error) {
      if (asked === generation) onError(error, input);
    } finally {
      isBusy = false;
      // If the pause of the waiting input has ended, its request starts now.
      if (waiting && timer === null) start();
    }
  };

  return {
    submit(input) {
      ++generation;
      waiting = { input };
      clearTimeout(timer);
      timer = setTimeout(start, delay_ms);
    },
    flush() {
      if (timer === null) return;
      clearTimeout(timer);
      start();
    },
    drop() {
      ++generation;
      waiting = null;
      clearTimeout(timer);
      timer = null;
    },
  };
}
