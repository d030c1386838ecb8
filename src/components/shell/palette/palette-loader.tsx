'use client';

import { useSpotlight } from '@mantine/spotlight';
import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useBack } from '../../dialogs/use-back';
import { isComposing } from '../../is-composing';
import { loadPart } from '../../load-part';
import type { PaletteProps } from './palette';
import classes from './palette.module.css';
import { PALETTE_LABEL, palette, paletteStore, returnFocus, setPaletteQuery } from './palette-store';

const Palette = lazy(async () => ({ default: await loadPart(import('./palette').then((module) => module.Palette)) }));

/** Enter, pressed before there were results to open. */
type EarlyEnter = { query: string; ctrlKey: boolean; metaKey: boolean };

/**
 * Loads the palette when it is first opened. Each time it opens, another input has the focus from the start until the
 * palette's own has it, so that no key is lost.
 */
export function PaletteLoader(props: Omit<PaletteProps, 'onFocus'>) {
  const { opened } = useSpotlight(paletteStore);
  const [isNeeded, setIsNeeded] = useState(false);
  const [isReady, setIsReady] = useState(false);
  const early = useRef<HTMLInputElement>(null);
  const enter = useRef<EarlyEnter>(null);
  if (opened && !isNeeded) setIsNeeded(true);
  if (!opened && isReady) setIsReady(false);
  useEffect(() => (opened ? returnFocus : undefined), [opened]);
  useBack(opened, () => {
    palette.close();
    return true;
  });

  const handOver = (input: HTMLInputElement) => {
    if (!early.current) return;
    input.setSelectionRange(early.current.selectionStart, early.current.selectionEnd);
    setIsReady(true);
    if (enter.current?.query !== input.value) return;
    const { ctrlKey, metaKey } = enter.current;
    const again = { key: 'Enter', code: 'Enter', bubbles: true, ctrlKey, metaKey };
    input.dispatchEvent(new window.KeyboardEvent('keydown', again));
  };

  return (
    <>
      {opened && !isReady && <EarlyInput ref={early} enter={enter} />}
      {isNeeded && (
        <Suspense>
          <Palette {...props} opened={opened} onClose={palette.close} onFocus={handOver} />
        </Suspense>
      )}
    </>
  );
}

type EarlyInputProps = { ref: RefObject<HTMLInputElement | null>; enter: RefObject<EarlyEnter | null> };

function EarlyInput({ ref, enter }: EarlyInputProps) {
  const { query } = useSpotlight(paletteStore);
  // In the task that opened the palette, before the next key.
  useLayoutEffect(() => {
    enter.current = null;
    ref.current?.focus();
  }, [ref, enter]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event;
    if (isComposing(event)) return;
    if (key === 'Escape') palette.close();
    if (key === 'Enter') enter.current = { query, ctrlKey, metaKey };
  };
  return (
    <div className={classes.loading}>
      <input
        ref={ref}
        className={classes.search}
        aria-label={PALETTE_LABEL}
        placeholder={PALETTE_LABEL}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setPaletteQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
