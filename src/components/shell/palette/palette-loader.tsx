'use client';

import { useSpotlight } from '@mantine/spotlight';
import { type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react';
import type { PaletteProps } from './palette';
import classes from './palette.module.css';
import { PALETTE_LABEL, palette, paletteStore, returnFocus, setPaletteQuery } from './palette-store';

const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })));

/** Loads the palette when it is first opened, and keeps what is typed in the meantime. */
export function PaletteLoader(props: PaletteProps) {
  const { opened } = useSpotlight(paletteStore);
  const [isNeeded, setIsNeeded] = useState(false);
  if (opened && !isNeeded) setIsNeeded(true);
  useEffect(() => (opened ? returnFocus : undefined), [opened]);
  return (
    isNeeded && (
      <Suspense fallback={opened && <LoadingPalette />}>
        <Palette {...props} />
      </Suspense>
    )
  );
}

function LoadingPalette() {
  const { query } = useSpotlight(paletteStore);
  return (
    <div className={classes.loading}>
      <input
        ref={focus}
        className={classes.search}
        aria-label={PALETTE_LABEL}
        placeholder={PALETTE_LABEL}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setPaletteQuery(event.currentTarget.value)}
        onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && palette.close()}
      />
    </div>
  );
}

function focus(input: HTMLInputElement | null): void {
  input?.focus();
}
