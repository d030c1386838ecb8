'use client';

import { useState } from 'react';
import type { Delivery } from '../../schema';

type Held = { delivery: string | null; top: string | undefined };

/** While a delivery is open, newer ones are held back so that it doesn't move. `release` shows them. */
export function useHeldRows(rows: Delivery[] | undefined, delivery: string | null) {
  const [held, setHeld] = useState<Held>({ delivery: null, top: undefined });
  const at = rows?.findIndex(({ id }) => id === held.top) ?? -1;
  const isOpenAbove = rows?.slice(0, Math.max(0, at)).some(({ id }) => id === delivery) ?? false;
  const isHolding = delivery !== null && held.delivery === delivery && at >= 0 && !isOpenAbove;
  if (rows && !isHolding && (held.delivery !== delivery || held.top !== rows[0]?.id)) {
    setHeld({ delivery, top: rows[0]?.id });
  }
  return {
    rows: isHolding ? rows?.slice(at) : rows,
    newer: isHolding ? at : 0,
    release: () => setHeld({ delivery, top: rows?.[0]?.id }),
  };
}
