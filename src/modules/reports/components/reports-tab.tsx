'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconUpload } from '@/components/icons/icons';
import { SegmentedControl } from '@/components/segmented-control';
import { useUrlState } from '@/components/url-state';
import { choicesOf } from '@/lib/lists';
import type { ReportPeriod } from '../schema';
import { DmarcReports } from './dmarc/dmarc-reports';
import { DmarcResults } from './dmarc/dmarc-results';
import { TlsReports } from './tls/tls-reports';
import { TlsResults } from './tls/tls-results';

const UploadDialog = lazyDialog(() => import('./upload-dialog').then((module) => module.UploadDialog));

const KINDS = { dmarc: 'DMARC', tls: 'TLS' };
const PERIODS: Record<ReportPeriod, string> = {
  '24h': '24 h',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  custom: 'Custom',
};

const STATE = {
  kind: parseAsStringLiteral(choicesOf(KINDS)).withDefault('dmarc'),
  period: parseAsStringLiteral(choicesOf(PERIODS)).withDefault('30d'),
  start: parseAsString,
  end: parseAsString,
  report: parseAsString,
  cursor: parseAsString,
};

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** The reports of other servers about mail from and to the domain. */
export function ReportsTab({ id }: { id: string }) {
  const { values, choose } = useUrlState(STATE);
  const { kind, period, start, end } = values;
  const [isUploading, upload] = useDisclosure(false);
  const isDmarc = kind === 'dmarc';
  const range = period === 'custom' ? { period, start: start ?? monthAgo(), end: end ?? undefined } : { period };
  const isReversed = range.end !== undefined && range.end < range.start;
  return (
    <section aria-label="Reports">
      <Group py="md">
        <SegmentedControl
          label="Kind of reports"
          value={kind}
          options={KINDS}
          onChange={(next) => choose({ kind: next, report: null, cursor: null })}
        />
        <SegmentedControl
          label="Period"
          value={period}
          options={PERIODS}
          narrow="line"
          onChange={(next) => choose({ period: next, start: next === 'custom' ? monthAgo() : null, end: null })}
        />
        <span className="spacer only-wide" />
        <Button leftSection={<IconUpload stroke={1.5} />} onClick={upload.open}>
          Upload report
        </Button>
      </Group>
      {period === 'custom' && (
        <Group pb="md" gap="xs">
          <DayInput label="From" day={range.start} onChange={(day) => choose({ start: day })} />
          <DayInput
            label="To"
            day={range.end}
            error={isReversed && 'Enter a day that isn’t before the start.'}
            onChange={(day) => choose({ end: day })}
          />
          <span className="quiet">Days in UTC</span>
        </Group>
      )}
      {isReversed ? null : isDmarc ? (
        <DmarcResults id={id} range={range}>
          <DmarcReports domainId={id} />
        </DmarcResults>
      ) : (
        <TlsResults id={id} range={range}>
          <TlsReports domainId={id} />
        </TlsResults>
      )}
      <UploadDialog kind={kind} opened={isUploading} onClose={upload.close} />
    </section>
  );
}

type DayInputProps = {
  label: string;
  day: string | undefined;
  error?: string | false;
  onChange: (day: string | null) => void;
};

/** Takes the day that was entered when Enter is pressed or the field is left. */
function DayInput({ day = '', onChange, ...props }: DayInputProps) {
  // Kept apart from the day, which may change meanwhile, such as when the URL's parameters arrive later than the next key.
  const [entered, setEntered] = useState<string | null>(null);
  function enter(): void {
    setEntered(null);
    if (entered !== null && entered !== day) onChange(entered || null);
  }
  return (
    <TextInput
      {...props}
      type="date"
      w={160}
      value={entered ?? day}
      onChange={(event) => setEntered(event.currentTarget.value)}
      onBlur={enter}
      onKeyDown={(event) => {
        if (event.key === 'Enter') enter();
      }}
    />
  );
}

function monthAgo(): string {
  return new Date(Date.now() - MONTH_MS).toISOString().slice(0, 10);
}
