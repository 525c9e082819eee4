// Asking while somebody types: after a pause, one request at a time, only about the newest text.

/**
 * Makes a line of requests that holds one request and the newest input.
 * @template Input, Answer
 * @param {object} options
 * @param {(input: Input, isNewest: () => boolean) => Promise<Answer>} options.ask
 * @param {(answer: Answer, input: Input) => void} options.onAnswer called unless a newer input came
 * @param {(error: Error, input: Input) => void} options.onError likewise
 * @param {number} options.delay_ms the pause after the last input before it is asked about
 * @returns {{submit(input: Input): void, flush(): void, drop(): void}} `submit` replaces an input
 *   that waits; `flush` ends its pause; `drop` forgets it and the answer that is under way
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
      // An input whose pause ended meanwhile is asked about now.
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
