'use client';

import type { ReactNode } from 'react';
import { NearLink } from '@/components/near-link';
import { Peek } from '@/components/shell/peek';
import { Badge } from '@/components/text/badge';
import { DetailsList } from '@/components/text/details-list';
import { RawText } from '@/components/text/raw-text';
import { CopyIcon } from '@/components/values/copy-button';
import { JsonText } from '@/components/values/json-text';
import { formatFull } from '@/lib/format';
import type { AuditEntry } from '../schema';
import { EntrySentence, Outcome } from './audit-columns';
import classes from './audit-peek.module.css';
import { FieldDiff } from './field-diff';
import { sentenceOf } from './sentences/sentence';
import type { ValueFilter } from './use-audit-search';

type OnFilter = (name: ValueFilter, value: string) => void;
type AuditPeekProps = { entry: AuditEntry; onFilter: OnFilter; onClose: () => void };

export function AuditPeek({ entry, onFilter, onClose }: AuditPeekProps) {
  const page = pageOf(entry.resource);
  const { before, after, ...otherDetails } = entry.details as { before?: object | null; after?: object | null };

  return (
    <Peek
      label={`Entry: ${entry.action}`}
      title={
        <>
          <Outcome outcome={entry.outcome} />
          {sentenceOf(entry).isDryRun && <Badge>Dry run</Badge>}
        </>
      }
      onClose={onClose}
    >
      <h2 className={classes.sentence}>
        <EntrySentence entry={entry} />
      </h2>
      <p className="soft">{formatFull(entry.created_at)}</p>
      <div className={classes.details}>
        <DetailsList>
          <Detail name="Actor" filter="email" value={entry.admin_email} onFilter={onFilter} />
          <Detail name="API key" filter="key" value={entry.api_key_id} onFilter={onFilter} />
          <Detail name="Action" filter="action" value={entry.action} onFilter={onFilter} />
          <Detail name="Resource" filter="resource" value={entry.resource} onFilter={onFilter}>
            {page && after !== null && (
              <NearLink className={`act ${classes.open}`} href={page}>
                Open
              </NearLink>
            )}
          </Detail>
          <Detail name="IP address" filter="ip" value={entry.ip_address} onFilter={onFilter} />
          <Detail name="Request ID" filter="request" value={entry.request_id} onFilter={onFilter}>
            <CopyIcon value={entry.request_id} what="the request ID" />
          </Detail>
          <dt>User agent</dt>
          <dd className="wrap">{entry.user_agent || 'Unknown'}</dd>
          <dt>Hash</dt>
          <dd className="mono">{entry.hash ? `${entry.hash.slice(0, 12)}…` : 'Not sealed yet'}</dd>
        </DetailsList>
      </div>
      <FieldDiff before={before} after={after} />
      {Object.keys(otherDetails).length > 0 && (
        <>
          <h3 className={classes.more}>Details</h3>
          <RawText>
            <JsonText text={JSON.stringify(otherDetails)} />
          </RawText>
        </>
      )}
    </Peek>
  );
}

type DetailProps = {
  name: string;
  filter: ValueFilter;
  value: string | null;
  onFilter: OnFilter;
  children?: ReactNode;
};

function Detail({ name, filter, value, onFilter, children }: DetailProps) {
  if (value === null || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <button
          type="button"
          className={`${classes.value} mono`}
          title="Filter by this value"
          onClick={() => onFilter(filter, value)}
        >
          {value}
        </button>
        {children}
      </dd>
    </>
  );
}

const PAGES: Record<string, (id: string) => string> = {
  domain: (id) => `/domains/${id}`,
  admin: (id) => `/admins/${id}`,
  message: (id) => `/messages/${id}`,
  mailbox: (id) => `/mailboxes/${id}`,
};

function pageOf(resource: string): string | null {
  const [type = '', id = ''] = resource.split(':');
  return id ? (PAGES[type]?.(id) ?? null) : null;
}
