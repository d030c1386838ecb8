import '@mantine/core/styles.css';
import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@fontsource/ibm-plex-mono/latin-500.css';
import './global.css';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { sans } from './fonts';
import { Providers } from './providers';

type DocumentProps = { nonce: string | undefined; children: ReactNode };

/** Delays the first paint until the whole document has arrived, so that a slow network causes no layout shift. */
const END = 'document-end';

export function Document({ nonce, children }: DocumentProps) {
  return (
    <html lang="en" translate="no" className={sans.variable} {...mantineHtmlProps}>
      <head>
        {/* A translated page has other text nodes than React made: React fails to remove those, and its changes aren't shown. */}
        <meta name="google" content="notranslate" />
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" />
        <link rel="expect" href={`#${END}`} blocking="render" />
      </head>
      <body>
        <Providers>{children}</Providers>
        <div id={END} hidden />
      </body>
    </html>
  );
}
