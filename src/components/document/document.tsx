import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-600.css';
import '@mantine/core/styles.css';
import '../styles/base.css';
import '../styles/mantine.css';
import '../styles/controls.css';
import '../styles/data-table.css';
import '../styles/timeline.css';
import '../styles/page-header.css';
import '../styles/shell.css';
import '../styles/palette.css';
import '../styles/forms.css';
import '../styles/pages/overview.css';
import '../styles/pages/messages.css';
import '../styles/pages/send.css';
import '../styles/postcard.css';
import '../styles/pages/account.css';
import '../styles/pages/aliases.css';
import '../styles/pages/mailboxes.css';
import '../styles/pages/audit.css';
import '../styles/pages/webhooks.css';
import '../styles/pages/dkim.css';
import '../styles/pages/queue.css';
import '../styles/pages/filters.css';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { mono, sans } from './fonts';
import { Providers } from './providers';

type DocumentProps = { nonce: string | undefined; children: ReactNode };

/** Delays the first paint until the whole document has arrived, so that a slow network causes no layout shift. */
const END = 'document-end';

export function Document({ nonce, children }: DocumentProps) {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`} {...mantineHtmlProps}>
      <head>
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
