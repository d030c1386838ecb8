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
import { findKind } from '@/lib/texts/audit-kinds';
import type { AuditEntry } from '../schema';
import { EntrySentence, Outcome } from './audit-columns';
import classes from './audit-peek.module.css';
import { ChangeList } from './change-list';
import { entryChanges } from './entry-changes';
import { sentenceOf } from './sentences/sentence';
import type { ValueFilter } from './use-audit-search';

type OnFilter = (name: ValueFilter, value: string) => void;
type AuditPeekProps = { entry: AuditEntry; onFilter: OnFilter; onClose: () => void };

export function AuditPeek({ entry, onFilter, onClose }: AuditPeekProps) {
  const page = pageOf(entry.resource);
  const { before: _, after, ...otherDetails } = entry.details;
  const changes = entryChanges(entry);

  return (
    <Peek
      label={`Entry: ${entry.action}`}
      title={
        <>
          <Outcome {...entry} />
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
          <Detail name="API key" filter="key" value={entry.api_key_id} shown={entry.api_key_name} onFilter={onFilter} />
          <Detail name="Action" filter="action" value={entry.action} onFilter={onFilter} />
          <Detail
            name="Record"
            filter="resource"
            value={entry.resource}
            shown={entry.resource_name}
            onFilter={onFilter}
          >
            <CopyIcon value={entry.resource} what="the resource" />
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
      {changes?.length === 0 && <p className={`soft ${classes.none}`}>No field values changed.</p>}
      {changes && changes.length > 0 && <ChangeList changes={changes} label="What changed" />}
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
  /** The name shown for the value, if a person would not recognize the value itself. */
  shown?: string | null;
  onFilter: OnFilter;
  children?: ReactNode;
};

function Detail({ name, filter, value, shown, onFilter, children }: DetailProps) {
  if (value === null || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <button
          type="button"
          className={`${classes.value} mono`}
          title={shown ? `Filter by ${value}` : 'Filter by this value'}
          onClick={() => onFilter(filter, value)}
        >
          {shown ?? value}
        </button>
        {children}
      </dd>
    </>
  );
}

function pageOf(resource: string): string | null {
  const [, id] = resource.split(':');
  const page = findKind(resource)?.page;
  return id && page ? `${page}${id}` : null;
}
