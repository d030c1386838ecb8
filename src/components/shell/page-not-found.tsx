'use client';

import { Button, Group } from '@mantine/core';
import { usePathname } from 'next/navigation';
import { IconSearch } from '../icons/icons';
import { Note } from '../layout/note';
import { NearLink } from '../near-link';
import { PageHeader } from '../page-header';
import { Page } from './page';
import { palette } from './palette/palette-store';

/** Shown for an address that no page has, with the navigation around it. */
export function PageNotFound() {
  return (
    <Page>
      <PageHeader title="Page not found" description={<span className="mono wrap">{usePathname()}</span>} />
      <Note>
        <h2>There is no page at this address</h2>
        <p>The link may be outdated or mistyped. Search for a page, address, domain or message instead.</p>
        <Group pt="md">
          <Button variant="filled" component={NearLink} href="/">
            Go to overview
          </Button>
          <Button leftSection={<IconSearch stroke={1.5} />} onClick={palette.open}>
            Search
          </Button>
        </Group>
      </Note>
    </Page>
  );
}
