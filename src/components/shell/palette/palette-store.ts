import { createSpotlight } from '@mantine/spotlight';

export const [paletteStore, palette] = createSpotlight();

export const PALETTE_LABEL = 'Search pages, addresses, domains and messages';

export function setPaletteQuery(query: string): void {
  paletteStore.setState((state) => ({ ...state, query }));
}
