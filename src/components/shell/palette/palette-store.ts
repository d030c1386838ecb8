import { createSpotlight } from '@mantine/spotlight';

const [store, actions] = createSpotlight();
/** The element that had the focus before the palette opened. */
let opener: Element | null = null;

export const paletteStore = store;

export const palette = {
  close: actions.close,
  open: () => {
    if (store.getState().opened) return;
    opener = document.activeElement;
    // Still there if it was closed a moment ago.
    setPaletteQuery('');
    actions.open();
  },
};

export const PALETTE_LABEL = 'Search pages, addresses, domains, messages and documentation';

export function setPaletteQuery(query: string): void {
  paletteStore.setState((state) => ({ ...state, query }));
}

/** Gives the focus back once, unless it was left. */
export function returnFocus(): void {
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
  opener = null;
}

/** Leaves the focus to the page that opens. */
export function leaveFocus(): void {
  opener = null;
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
