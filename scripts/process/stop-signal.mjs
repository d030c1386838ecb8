const SAME_SIGNAL_MS = 1_000;

/**
 * Calls back on the first stop signal; a later one exits immediately. One Ctrl-C can arrive several times, from the
 * terminal and from every parent that forwards it, and counts once.
 * @param {(signal: NodeJS.Signals) => void} stop
 */
export function onStopSignal(stop) {
  let firstAt;
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = Date.now();
        stop(signal);
      } else if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130);
    });
  }
}
