import { useEffect, useState } from 'react';

/** Whole seconds until the given time, counting down to 0. Null disables it. */
export function useSecondsLeft(until: string | null): number {
  const [left, setLeft] = useState(() => secondsUntil(until));

  useEffect(() => {
    setLeft(secondsUntil(until));
    if (until === null) return;
    const timer = setInterval(() => setLeft(secondsUntil(until)), 1000);
    return () => clearInterval(timer);
  }, [until]);

  return left;
}

function secondsUntil(until: string | null): number {
  return until === null ? 0 : Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));
}
