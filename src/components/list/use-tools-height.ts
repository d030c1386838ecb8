'use client';

import { type RefObject, useEffect, useRef } from 'react';

const ATTRIBUTE = 'data-list-tools';
export const TOOLS = { [ATTRIBUTE]: true };

/** The filters above the list of the page. */
export function toolsOfPage(): Element | null {
  return document.querySelector(`[${ATTRIBUTE}]`);
}

/** Tells the elements beside the tools how high they are, for what stays in view below them. */
export function useToolsHeight(): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tools = ref.current;
    const parent = tools?.parentElement;
    if (!tools || !parent) return;
    const observer = new ResizeObserver(() => parent.style.setProperty('--tools-height', `${tools.offsetHeight}px`));
    observer.observe(tools);
    return () => {
      observer.disconnect();
      parent.style.removeProperty('--tools-height');
    };
  }, []);
  return ref;
}
