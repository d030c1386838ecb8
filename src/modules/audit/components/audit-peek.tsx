'use client';

import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import Link from 'next/link';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { CopyIcon } from '@/components/copy-button';
import { formatFull } from '@/lib/format';
import type { AuditEntry } from '../schema';
import { Outcome } from './audit-columns';
import { FieldDiff } from './field-diff';
import type { ValueFilter } from './use-audit-filters';

type OnFilter = (name: ValueFilter, value: string) => void;
type AuditPeekProps = { entry: AuditEntry; onFilter: OnFilter; onClose: () => void };

export function AuditPeek({ entry, onFilter, onClose }: AuditPeekProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  const page = pageOf(entry.resource);
  const { before, after, ...otherDetails } = entry.details as { before?: object | null; after?: object | null };

  return (
    <aside ref={panel} className="peek" tabIndex={-1} aria-label={`Entry: ${entry.action}`} onKeyDown={onKeyDown}>
      <div className="peek-bar">
        <Outcome outcome={entry.outcome} />
        <span className="spacer" />
        <ActionIcon aria-label="Close" title="Close" onClick={onClose}>
          <IconX size={16} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className="peek-body">
        <h2 className="mono audit-action">{entry.action}</h2>
        <p className="soft">{formatFull(entry.created_at)}</p>
        <dl className="details-list audit-details">
          <Detail name="Actor" filter="email" value={entry.admin_email} onFilter={onFilter} />
          <Detail name="API key" filter="key" value={entry.api_key_id} onFilter={onFilter} />
          <Detail name="Action" filter="action" value={entry.action} onFilter={onFilter} />
          <Detail name="Resource" filter="resource" value={entry.resource} onFilter={onFilter}>
            {page && after !== null && (
              <Link className="quiet-link" href={page}>
                Open
              </Link>
            )}
          </Detail>
          <Detail name="IP address" filter="ip" value={entry.ip_address} onFilter={onFilter} />
          <Detail name="Request ID" filter="request" value={entry.request_id} onFilter={onFilter}>
            <CopyIcon value={entry.request_id} what="the request ID" />
          </Detail>
          <dt>User agent</dt>
          <dd className="whole">{entry.user_agent || 'Unknown'}</dd>
          <dt>Hash</dt>
          <dd className="mono">{entry.hash ? `${entry.hash.slice(0, 12)}…` : 'Not sealed yet'}</dd>
        </dl>
        <FieldDiff before={before} after={after} />
        {Object.keys(otherDetails).length > 0 && (
          <>
            <h3 className="audit-more">Details</h3>
            <pre className="raw">{JSON.stringify(otherDetails, null, 2)}</pre>
          </>
        )}
      </div>
    </aside>
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
          className="value-filter mono"
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
