'use client';

import { useEffect, useRef } from 'react';

/** Called before the browser goes to another entry of its history. Returns whether it stays where it is. */
type OnBack = (destination: NavigationDestination) => boolean;

/** The open dialogs, the topmost last. The first may be a form of the page with unsaved changes. */
const layers: OnBack[] = [];

/** While a dialog is open, Back calls `onBack` first. Browsers without the Navigation API leave the page. */
export function useBack(opened: boolean, onBack: OnBack, isInUrl = false): void {
  const latest = useRef(onBack);
  useEffect(() => {
    latest.current = onBack;
  });
  useEffect(() => {
    if (!opened) return;
    if (!isInUrl) keepEntryBelow();
    return interceptBack((destination) => latest.current(destination));
  }, [opened, isInUrl]);
}

/** @returns a function that ends it */
export function interceptBack(onBack: OnBack): () => void {
  if (layers.length === 0) window.navigation?.addEventListener('navigate', onNavigate);
  layers.push(onBack);
  return () => {
    const index = layers.indexOf(onBack);
    if (index !== -1) layers.splice(index, 1);
    if (layers.length === 0) window.navigation?.removeEventListener('navigate', onNavigate);
  };
}

function onNavigate(event: NavigateEvent): void {
  if (event.navigationType !== 'traverse' || !event.cancelable) return;
  const { destination } = event;
  const isOtherPage = new URL(destination.url).pathname !== window.location.pathname;
  // An open dialog may be an entry of its own page, but everything is lost with the page.
  const asked = isOtherPage ? layers.toReversed() : layers.slice(-1);
  if (asked.some((onBack) => onBack(destination))) event.preventDefault();
}

/**
 * Back can't be intercepted on the first entry of a document, so a second one is made of the same address. Next.js and nuqs, which
 * watch the method of `window.history`, have nothing to do for it.
 */
function keepEntryBelow(): void {
  const { navigation, history } = window;
  const index = navigation?.currentEntry?.index ?? 0;
  if (navigation === undefined || navigation.entries()[index - 1]?.sameDocument) return;
  // It would delete the entries that Forward leads to.
  if (layers.length > 0 || navigation.canGoForward) return;
  History.prototype.pushState.call(history, history.state, '');
}
