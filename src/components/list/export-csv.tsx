'use client';

import { Button, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { formatCount } from '@/lib/format';
import { errorOf, isSessionLost, toProblem } from '../api/problem';
import { reportSessionLost } from '../api/session-lost';
import { IconDownload } from '../icons/icons';
import { dismissResult, notify } from '../notifications';
import { saveFile } from '../save-file';
import type { ShownList } from './use-list';

export type ExportProps = { list: Pick<ShownList<never>, 'what' | 'path'> & { input?: object } };

/** Exports what a list shows, on all of its pages. */
export function ExportButton({ list }: ExportProps) {
  const { isBusy, run } = useExport(list);
  return (
    <Button leftSection={<IconDownload stroke={1.5} />} loading={isBusy} onClick={run}>
      Export CSV
    </Button>
  );
}

/** The same in a menu. */
export function ExportItem({ list, children }: ExportProps & { children: ReactNode }) {
  const { isBusy, run } = useExport(list);
  return (
    <Menu.Item leftSection={<IconDownload size={16} stroke={1.5} />} disabled={isBusy} onClick={run}>
      {children}
    </Menu.Item>
  );
}

function useExport({ path, input = {}, what }: ExportProps['list']) {
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    dismissResult();
    try {
      const response = await fetch(addressOf(path, input));
      if (!response.ok) throw await errorOf(response);
      saveFile(await response.blob(), filenameOf(response));
      notify({ text: resultOf(response, what) });
    } catch (error) {
      const problem = toProblem(error);
      if (isSessionLost(problem)) reportSessionLost();
      else notify({ text: `Couldn’t export ${what}`, problem });
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, run: () => void run() };
}

/** The address of the export, with the input in the path and in the query. */
function addressOf(path: string, input: object): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const filled = given.reduce((part, [name, value]) => part.replace(`{${name}}`, String(value)), path);
  const query = given.filter(([name]) => !path.includes(`{${name}}`)).map(([name, value]) => [name, String(value)]);
  return `/api/v1${filled}/export?${new URLSearchParams([...query, ['format', 'csv']])}`;
}

function resultOf({ headers }: Response, what: string): string {
  if (headers.get('X-Row-Limit-Reached') !== 'true') return `Exported ${what}`;
  const limit = formatCount(Number(headers.get('X-Row-Limit')));
  return `Exported only the first ${limit} ${what}. Narrow the filters to export the others.`;
}

function filenameOf({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'export.csv';
}
