import { say } from '../../../tools/setup/process.mjs';

/** Milliseconds between two lines where standard error is no terminal. */
const LOG_INTERVAL = 10_000;

/** Tells on standard error how far a run is and how long it will take: one line rewritten, or now and then a new one. */
export function progressLine(label: string): (done: number, total: number) => void {
  const started = Date.now();
  let printed = started;
  return (done, total) => {
    const now = Date.now();
    const left = Math.ceil((((now - started) / done) * (total - done)) / 1000);
    const text = `${label}: ${done} of ${total}, ${left} s left`;
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\u001b[K${text}${done === total ? '\n' : ''}`);
    } else if (now - printed > LOG_INTERVAL) {
      printed = now;
      say(text);
    }
  };
}
