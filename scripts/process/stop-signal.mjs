const SAME_SIGNAL_MS = 1_000;

/**
 * Calls back on the first signal to stop; a later one exits at once. One Ctrl-C can arrive several times over, from
 * the terminal and from every parent that passes it on, and counts once.
 * @param {() => void} stop
 */
export function onStopSignal(stop) {
  let firstAt;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = Date.now();
        stop(signal);
      } else if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130);
    });
  }
}
