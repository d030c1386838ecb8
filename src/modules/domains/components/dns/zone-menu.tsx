'use client';

import { Button, Menu } from '@mantine/core';
import { errorOf, toProblem } from '@/components/api/problem';
import { IconChevronDown, IconCopy, IconDownload } from '@/components/icons/icons';
import { ExportItem } from '@/components/list/export-csv';
import { notify } from '@/components/notifications';
import { dnsRecordList } from '../../dns/lists';

const ICON = { size: 16, stroke: 1.5 } as const;

/** The records as a zone file, to import at a DNS provider. */
export function ZoneMenu({ id }: { id: string }) {
  const zone = `/api/v1/domains/${id}/dns/zone`;
  return (
    <Menu width={264}>
      <Menu.Target>
        <Button leftSection={<IconDownload stroke={1.5} />} rightSection={<IconChevronDown stroke={1.5} />}>
          Zone file
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={zone} download leftSection={<IconDownload {...ICON} />}>
          Download all records
        </Menu.Item>
        <Menu.Item component="a" href={`${zone}?only=missing`} download leftSection={<IconDownload {...ICON} />}>
          Download missing records
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy {...ICON} />} onClick={() => void copyMissing(zone)}>
          Copy missing records
        </Menu.Item>
        <ExportItem list={{ ...dnsRecordList, input: { id } }}>Export results of the last check as CSV</ExportItem>
      </Menu.Dropdown>
    </Menu>
  );
}

async function copyMissing(zone: string): Promise<void> {
  const failed = 'Couldn’t copy the records. Download the zone file instead.';
  const records = await load(`${zone}?only=missing`).catch((error: unknown) => {
    notify({ text: failed, problem: toProblem(error) });
  });
  if (records === undefined) return;
  try {
    await navigator.clipboard.writeText(records);
    notify({ text: 'Missing records copied' });
  } catch {
    // The browser refuses, as it does without HTTPS.
    notify({ text: failed });
  }
}

async function load(zone: string): Promise<string> {
  const response = await fetch(zone);
  if (!response.ok) throw await errorOf(response);
  return response.text();
}
