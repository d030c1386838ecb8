'use client';

import { useState } from 'react';
import { formatPlural } from '@/lib/format';
import { splitDestinations } from '@/lib/mail/destinations';
import { Cell } from '../../data-table/cells';
import { IconChevronDown, IconChevronUp } from '../../icons/icons';
import { StatusMark } from '../../marks/status-mark';
import { EmailAddress } from '../../values/email-address';
import classes from './destinations-cell.module.css';
import { WarningMark } from './warning-mark';

const LABELS = {
  shadowed_by_mailbox: 'Shadowed',
  destination_not_found: 'No mailbox',
  destination_inactive: 'Inactive mailbox',
  destination_domain_inactive: 'Inactive domain',
};

type Warning = { code: keyof typeof LABELS; message: string; destination: string | null };
type Alias = { address: string; destination: string; warnings: Warning[] };

const CHEVRON = { size: 14, stroke: 1.75 } as const;

/** Where an alias delivers to: the first address that has a warning or else the first, and the others once it is opened. */
export function DestinationsCell({ alias }: { alias: Alias }) {
  const [isOpen, setIsOpen] = useState(false);
  const [first = '', ...others] = splitDestinations(alias.destination);
  const warnings = [first, ...others].map((address) => destinationWarning(alias, address)).filter((found) => found);
  const [warning] = warnings;
  const shown = warning?.destination ?? first;
  const mark = warning && (
    <WarningMark title={warnings.map((found) => found?.message).join(' ')}>
      {warnings.length > 1 ? `${warnings.length} undeliverable` : `${LABELS[warning.code]}, gets no mail`}
    </WarningMark>
  );

  if (isOpen) {
    return (
      <>
        <button type="button" className={classes.more} aria-expanded="true" onClick={() => setIsOpen(false)}>
          {formatPlural(others.length + 1, 'destination')}
          <IconChevronUp {...CHEVRON} />
        </button>
        <ol className={classes.all}>
          {[first, ...others].map((address, index) => (
            <li key={address}>
              <span className="quiet">{index + 1}</span>
              <EmailAddress value={address} isLight />
              <DestinationMark warning={destinationWarning(alias, address)} />
            </li>
          ))}
        </ol>
      </>
    );
  }
  return (
    <span className={classes.closed}>
      <Cell>
        <span className={`quiet ${classes.arrow}`} aria-hidden="true">
          →
        </span>
        <EmailAddress value={shown} isLight>
          {others.length > 0 && (
            <button
              type="button"
              className={classes.more}
              aria-expanded="false"
              aria-label={`Show ${others.length} more for ${alias.address}`}
              onClick={() => setIsOpen(true)}
            >
              +{others.length}
              <IconChevronDown {...CHEVRON} />
            </button>
          )}
        </EmailAddress>
      </Cell>
      {mark}
    </span>
  );
}

function destinationWarning({ warnings }: Alias, address: string): Warning | undefined {
  return warnings.find(({ destination }) => destination === address.toLowerCase());
}

function DestinationMark({ warning }: { warning: Warning | undefined }) {
  return warning && <StatusMark status="warning">{LABELS[warning.code]}</StatusMark>;
}
