'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { IconRoute } from '@/components/icons/icons';
import { FormColumn } from '@/components/layout/form-layout';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import { EmailAddress } from '@/components/values/email-address';
import { splitDestinations } from '@/lib/mail/destinations';
import type { Mailbox } from '../schema';
import classes from './delivering-aliases.module.css';

const MAX_ALIASES = 50;

type DeliveringAliasesProps = {
  mailbox: Mailbox;
  /** Sections below the list, rendered with it so that they don't shift when it loads. */
  children: ReactNode;
};

export function DeliveringAliases({ mailbox: { email, domain_id }, children }: DeliveringAliasesProps) {
  const canListAll = useHasRole('admin');
  const found = trpc.aliases.list.useQuery({
    q: email,
    domain_id: canListAll ? undefined : domain_id,
    sort: 'source_local_part',
    order: 'asc',
    limit: MAX_ALIASES,
  });
  const aliases = found.data?.items.filter(({ destination }) =>
    splitDestinations(destination.toLowerCase()).includes(email.toLowerCase()),
  );
  const trace = (
    <Button
      component={NearLink}
      href={`/aliases?domain=${domain_id}&trace=${encodeURIComponent(email)}`}
      leftSection={<IconRoute stroke={1.5} />}
    >
      Trace this address
    </Button>
  );

  const heading = {
    title: 'Aliases that deliver here',
    hint: canListAll ? 'From all domains.' : 'From this mailbox’s domain.',
  };
  if (found.isPending) {
    return (
      <div aria-busy="true">
        <SettingsSection {...heading}>
          <Skeleton width={200} />
        </SettingsSection>
      </div>
    );
  }

  return (
    <>
      <SettingsSection {...heading}>
        <FormColumn>
          {found.isError && <p className="soft">Couldn’t load aliases.</p>}
          {aliases?.length === 0 && <p className="soft">No aliases deliver to this mailbox.</p>}
          {aliases && aliases.length > 0 && (
            <ul className={classes.list}>
              {aliases.map(({ id, address, active }) => (
                <li key={id}>
                  <StatusMark status={active ? 'on' : 'off'} shapeOnly />
                  <NearLink aria-label={address} href={`/aliases?domain=${domain_id}&edit=${id}`}>
                    <EmailAddress value={address} />
                  </NearLink>
                  {!active && <span className="quiet">inactive</span>}
                </li>
              ))}
            </ul>
          )}
          <div>{trace}</div>
        </FormColumn>
      </SettingsSection>
      {children}
    </>
  );
}
