'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';

/** Selector for the focus that a page sets itself: in a field, its dialog, or the panel beside it. */
const TAKEN = 'main, [role="dialog"], aside[tabindex="-1"]';

/**
 * After a navigation, moves the focus to the heading of the new page, where a screen reader starts to read. Not on the
 * first load, and not where the page has focused something itself.
 */
export function PageFocus() {
  const pathname = usePathname();
  const last = useRef(pathname);

  useEffect(() => {
    const note = ({ type }: Event) => {
      document.documentElement.toggleAttribute('data-pointing', type === 'pointerdown');
    };
    document.addEventListener('pointerdown', note, true);
    document.addEventListener('keydown', note, true);
    return () => {
      document.removeEventListener('pointerdown', note, true);
      document.removeEventListener('keydown', note, true);
    };
  }, []);

  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    if (focusHeading()) return;
    // A page that is named after a record has no heading before the record is loaded.
    const observer = new MutationObserver(() => focusHeading() && stop());
    const stop = () => {
      observer.disconnect();
      document.removeEventListener('focusin', stop);
    };
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    document.addEventListener('focusin', stop);
    return stop;
  }, [pathname]);

  return null;
}

/** @returns whether the focus is where it belongs */
function focusHeading(): boolean {
  if (document.activeElement?.closest(TAKEN)) return true;
  const heading = document.querySelector<HTMLElement>('main h1');
  const title = heading?.lastElementChild ?? heading;
  if (!heading || !title?.textContent?.trim()) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
