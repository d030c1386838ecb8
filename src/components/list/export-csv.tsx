'use client';

import { Button, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { formatCount } from '@/lib/format';
import { isSessionLost, toProblem } from '../api/problem';
import { reportSessionLost } from '../api/session-lost';
import { IconDownload } from '../icons/icons';
import { dismissResult, notify } from '../notifications';
import { saveFile } from '../save-file';

export type ListExport = {
  /** Path of the REST endpoint, such as "/messages/export". */
  path: string;
  /** The list's input: its filters and its order. */
  input: Record<string, string | number | boolean | undefined>;
  /** What is listed, such as "messages". */
  what: string;
};

const PAGE_PARAMETERS = ['cursor', 'limit', 'total'];

/** Exports what a list shows, on all of its pages. */
export function ExportButton(list: ListExport) {
  const { isBusy, run } = useExport(list);
  return (
    <Button leftSection={<IconDownload stroke={1.5} />} loading={isBusy} onClick={run}>
      Export CSV
    </Button>
  );
}

type ExportItemProps = ListExport & { children: ReactNode };

/** The same in a menu. */
export function ExportItem({ children, ...list }: ExportItemProps) {
  const { isBusy, run } = useExport(list);
  return (
    <Menu.Item leftSection={<IconDownload size={16} stroke={1.5} />} disabled={isBusy} onClick={run}>
      {children}
    </Menu.Item>
  );
}

function useExport({ path, input, what }: ListExport) {
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    dismissResult();
    try {
      const response = await fetch(`/api/v1${path}?${queryOf(input)}`);
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

function queryOf(input: ListExport['input']): URLSearchParams {
  const given = Object.entries(input).filter(([name, value]) => value !== undefined && !PAGE_PARAMETERS.includes(name));
  return new URLSearchParams([...given.map(([name, value]) => [name, String(value)]), ['format', 'csv']]);
}

function resultOf({ headers }: Response, what: string): string {
  if (headers.get('X-Row-Limit-Reached') !== 'true') return `Exported ${what}`;
  const limit = formatCount(Number(headers.get('X-Row-Limit')));
  return `Exported only the first ${limit} ${what}. Narrow the filters to export the others.`;
}

function filenameOf({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'export.csv';
}

/** The error of a REST response, as the calls of the console throw it. */
async function errorOf(response: Response): Promise<Error> {
  const { error, meta } = await response.json().catch(() => ({}));
  return Object.assign(new Error(error?.message), {
    data: { apiCode: error?.code, httpStatus: response.status, details: error?.details, requestId: meta?.request_id },
  });
}
