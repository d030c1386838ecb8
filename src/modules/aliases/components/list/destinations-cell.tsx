'use client';

import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { EmailAddress } from '@/components/email-address';
import { StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { Alias } from '../../schema';
import { destinationsOf, isUndeliverable } from '../edit/alias-values';

const CHEVRON = { size: 14, stroke: 1.75, 'aria-hidden': true } as const;

export function DestinationsCell({ alias }: { alias: Alias }) {
  const [isOpen, setIsOpen] = useState(false);
  const [first = '', ...others] = destinationsOf(alias);
  const undeliverable = destinationsOf(alias).filter((address) => isUndeliverable(alias, address));
  const mark = undeliverable.length > 0 && (
    <span className="alias-mark" title={alias.warnings.join(' ')}>
      <StatusMark status="warning">
        {others.length > 0 ? `${undeliverable.length} without a mailbox` : 'No mailbox'}
      </StatusMark>
    </span>
  );

  if (isOpen) {
    return (
      <>
        <button type="button" className="more" aria-expanded="true" onClick={() => setIsOpen(false)}>
          {formatPlural(others.length + 1, 'destination')}
          <IconChevronUp {...CHEVRON} />
        </button>
        <ol className="all-destinations">
          {[first, ...others].map((address, index) => (
            <li key={address}>
              <span className="quiet">{index + 1}</span>
              <EmailAddress value={address} />
              {undeliverable.includes(address) && <StatusMark status="warning">No mailbox</StatusMark>}
            </li>
          ))}
        </ol>
      </>
    );
  }
  return (
    <span className="cell">
      <span className="quiet" aria-hidden="true">
        →
      </span>
      <EmailAddress value={first} />
      {others.length > 0 && (
        <button
          type="button"
          className="more"
          aria-expanded="false"
          aria-label={`Show ${others.length} more for ${alias.address}`}
          onClick={() => setIsOpen(true)}
        >
          +{others.length}
          <IconChevronDown {...CHEVRON} />
        </button>
      )}
      {mark}
    </span>
  );
}
