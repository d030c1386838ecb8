import localFont from 'next/font/local';

export const sans = localFont({
  src: '../../../node_modules/@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2',
  weight: '100 700',
  variable: '--font-plex-sans',
  // Preloaded. If it arrives late anyway, it is used from the next page on, so that no text moves.
  display: 'optional',
});
