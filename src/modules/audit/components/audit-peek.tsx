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
import { PIVOTS, type Pivot } from './use-audit-filters';

type OnPivot = (name: Pivot, value: string) => void;
type AuditPeekProps = { entry: AuditEntry; onPivot: OnPivot; onClose: () => void };

export function AuditPeek({ entry, onPivot, onClose }: AuditPeekProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  const page = pageOf(entry.resource);
  const { before, after, ...more } = entry.details as { before?: object | null; after?: object | null };

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
        <dl className="details-list audit-facts">
          <Fact name="Actor" pivot="email" value={entry.admin_email} onPivot={onPivot} />
          <Fact name="API key" pivot="key" value={entry.api_key_id} onPivot={onPivot} />
          <Fact name="Action" pivot="action" value={entry.action} onPivot={onPivot} />
          <Fact name="Resource" pivot="resource" value={entry.resource} onPivot={onPivot}>
            {page && after !== null && (
              <Link className="quiet-link" href={page}>
                Open
              </Link>
            )}
          </Fact>
          <Fact name="From" pivot="ip" value={entry.ip_address} onPivot={onPivot} />
          <Fact name="Request" pivot="request" value={entry.request_id} onPivot={onPivot}>
            <CopyIcon value={entry.request_id} what="the request id" />
          </Fact>
          <dt>Program</dt>
          <dd className="whole">{entry.user_agent || 'Not said'}</dd>
          <dt>Seal</dt>
          <dd className="mono">{entry.hash ? `${entry.hash.slice(0, 12)}…` : 'Not sealed yet'}</dd>
        </dl>
        <FieldDiff before={before} after={after} />
        {Object.keys(more).length > 0 && (
          <>
            <h3 className="audit-more">More</h3>
            <pre className="raw">{JSON.stringify(more, null, 2)}</pre>
          </>
        )}
      </div>
    </aside>
  );
}

type FactProps = { name: string; pivot: Pivot; value: string | null; onPivot: OnPivot; children?: ReactNode };

function Fact({ name, pivot, value, onPivot, children }: FactProps) {
  if (value === null || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <button
          type="button"
          className="pivot mono"
          title={`Only entries with this ${PIVOTS[pivot].toLowerCase()}`}
          onClick={() => onPivot(pivot, value)}
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
