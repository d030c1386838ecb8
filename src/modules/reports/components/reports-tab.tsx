'use client';

import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconUpload } from '@/components/icons/icons';
import { SegmentedControl } from '@/components/segmented-control';
import { DmarcReports } from './dmarc/dmarc-reports';
import { DmarcResults } from './dmarc/dmarc-results';
import { TlsReports } from './tls/tls-reports';
import { TlsResults } from './tls/tls-results';

const UploadDialog = lazyDialog(() => import('./upload-dialog').then((module) => module.UploadDialog));

const STATE = {
  kind: parseAsStringLiteral(['dmarc', 'tls']).withDefault('dmarc'),
  period: parseAsStringLiteral(['24h', '7d', '30d', '90d']).withDefault('30d'),
  report: parseAsString,
  cursor: parseAsString,
};

const KINDS = { dmarc: 'DMARC', tls: 'TLS' };
const PERIODS = { '24h': '24 h', '7d': '7 days', '30d': '30 days', '90d': '90 days' };

/** What other servers report about mail from and to the domain. */
export function ReportsTab({ id }: { id: string }) {
  const [{ kind, period }, setState] = useQueryStates(STATE, { history: 'push' });
  const [isUploading, upload] = useDisclosure(false);
  const isDmarc = kind === 'dmarc';
  return (
    <section aria-label="Reports">
      <Group py="md">
        <SegmentedControl
          label="Kind of reports"
          value={kind}
          options={KINDS}
          onChange={(next) => void setState({ kind: next, report: null, cursor: null })}
        />
        <SegmentedControl
          label="Period"
          value={period}
          options={PERIODS}
          onChange={(next) => void setState({ period: next })}
        />
        <span className="spacer only-wide" />
        <Button leftSection={<IconUpload stroke={1.5} />} onClick={upload.open}>
          Upload report
        </Button>
      </Group>
      {isDmarc ? (
        <DmarcResults id={id} period={period}>
          <DmarcReports domainId={id} />
        </DmarcResults>
      ) : (
        <TlsResults id={id} period={period}>
          <TlsReports domainId={id} />
        </TlsResults>
      )}
      <UploadDialog kind={kind} opened={isUploading} onClose={upload.close} />
    </section>
  );
}
