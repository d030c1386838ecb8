'use client';

import { useLocalStorage } from '@mantine/hooks';
import { chooseTimeZone } from '@/lib/time/time-zone';

/** The time zone that was chosen in this browser, null for the browser's own. A component that calls it shows times in that zone. */
export function useTimeZone(): [string | null, (zone: string | null) => void] {
  const [zone, setZone] = useLocalStorage<string | null>({
    key: 'postroom-time-zone',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  if (typeof window !== 'undefined') chooseTimeZone(zone);
  return [zone, setZone];
}
